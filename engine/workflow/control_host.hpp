// SPDX-License-Identifier: Apache-2.0
// ControlHost: what an apply needs of the machine that it runs on. The program's is its folder of
// runs and its own process; a rehearsal's is made up.
#pragma once

#include <memory>
#include <string>

#include "engine/base/result.hpp"
#include "engine/execute/journal/durable_sink.hpp"
#include "engine/execute/lease/leases.hpp"
#include "engine/workflow/resources.hpp"
#include "plans/plan.hpp"

namespace fabric::workflow {

// What is kept of one run while that is executed.
class OpenRun {
 public:
  virtual ~OpenRun() = default;
  virtual execute::AppendFile& journal() = 0;
  // Somebody wants the run to end: what is in flight is finished, nothing more is begun.
  virtual bool interrupted() = 0;
};

class ControlHost {
 public:
  virtual ~ControlHost() = default;
  // While what it returns lives, whoever wants the run to end is heard, and OpenRun::interrupted()
  // tells of it: locks are taken and given up meanwhile. Null: nobody can want that.
  virtual std::shared_ptr<void> hear_interrupts() { return nullptr; }
  // An id unlike that of any other run.
  virtual std::string new_run() = 0;
  // This process as the holder of the run's locks.
  virtual execute::LeaseHolder holder(const std::string& run) = 0;
  // True only of a holder that is known to have ended. May be called as long as this lives.
  virtual bool has_ended(const execute::LeaseHolder& holder) = 0;
  // The files that the plan copies to nodes are still what it was made from. Fails with
  // ErrorCode::stale, naming the file.
  virtual Result<void> check_copies(const plans::Plan& plan) = 0;
  // Completes resources for the plan that proves an apply.
  virtual BindFiles bind_files() = 0;
  // Keeps the plan and opens the journal. Fails with ErrorCode::denied.
  virtual Result<std::unique_ptr<OpenRun>> begin_run(
      const std::string& run, const plans::Plan& plan) = 0;
};

}  // namespace fabric::workflow
