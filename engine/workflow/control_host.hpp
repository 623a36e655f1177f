// SPDX-License-Identifier: Apache-2.0
// ControlHost: what an apply needs of the machine that it runs on. The program's is its folder of
// runs and its own process; a rehearsal's is made up.
#pragma once

#include <memory>
#include <string>

#include "engine/base/result.hpp"
#include "engine/execute/journal/journal.hpp"
#include "engine/execute/lease/leases.hpp"
#include "engine/workflow/resources.hpp"
#include "plans/plan.hpp"

namespace fabric::workflow {

// The records of one run while it is executed.
class OpenRun {
 public:
  virtual ~OpenRun() = default;
  virtual execute::AppendFile& journal() = 0;
  // A person wants the run to end: actions in flight are finished, and no further action begins.
  virtual bool interrupted() = 0;
};

class ControlHost {
 public:
  virtual ~ControlHost() = default;
  // While the returned object lives, requests to end the run are heard and OpenRun::interrupted()
  // reports them: locks are taken and given up meanwhile. Null: no such request can come.
  virtual std::shared_ptr<void> hear_interrupts() { return nullptr; }
  // An id unlike that of any other run.
  virtual std::string new_run() = 0;
  // This process as the holder of the run's locks.
  virtual execute::LeaseHolder holder(const std::string& run) = 0;
  // True only for a holder that is known to have ended. May be called for as long as this object
  // lives.
  virtual bool has_ended(const execute::LeaseHolder& holder) = 0;
  // Checks that the files that the plan copies to nodes are still those that it was made from.
  // Fails with ErrorCode::stale, naming the file.
  virtual Result<void> check_copies(const plans::Plan& plan) = 0;
  // Completes resources for the plan that proves an apply.
  virtual BindFiles bind_files() = 0;
  // Keeps the plan and opens the journal. Fails with ErrorCode::denied.
  virtual Result<std::unique_ptr<OpenRun>> begin_run(
      const std::string& run, const plans::Plan& plan) = 0;
};

}  // namespace fabric::workflow
