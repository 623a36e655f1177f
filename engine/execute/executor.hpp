// SPDX-License-Identifier: Apache-2.0
// Executor: performs a plan through a StepRunner. One thread, no clock but the runner's.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/execute/action/observer.hpp"
#include "engine/execute/journal/journal_read.hpp"
#include "engine/execute/lease/leases.hpp"
#include "engine/execute/progress.hpp"
#include "engine/model/resource.hpp"
#include "engine/platform/identity.hpp"
#include "engine/provider/registry.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::execute {

struct ExecuteInputs {
  const plans::Plan& plan;
  // The resources that the plan was made from: the conditions of actions are observed against them.
  const std::vector<Resource>& resources;
  const Registry& registry;
  remote::StepRunner& runner;
  Random& random;
  ProgressLimits limits;
  std::string run;  // id of the run
  // Called between events; true = finish what is in flight and start nothing more.
  std::function<bool()> interrupted;
  // The locks of the plan's nodes, held; null: no other run can write there.
  Leases* leases = nullptr;
  platform::Identity own{};  // the machine that fabric runs on now
  // How long a hook may say "not yet".
  Duration patience{3'600'000};
  // The journal of the run that this one resumes.
  FormerRun former{};
};

struct RunResult {
  std::vector<ActionResult> actions;
  bool cancelled = false;
  bool paused = false;  // for --pause-after
  bool all_done() const;
  // Nodes that went down for a reboot and did not come back.
  std::vector<NodeName> lost_nodes;
  // Nodes that the run goes on without: they could not be reached any more when it began.
  std::vector<NodeName> dead_nodes{};
};

// Per action: re-read the resources of its preconditions; postconditions that already hold make it
// already_satisfied; a precondition that does not hold fails it with ErrorCode::stale (naming
// field, expected, found); writes, removals, commands in order; a lost connection is no failure but
// leads to the read-back; read-back decides. Kind "reboot" runs the boot_id protocol. An action
// begins only under a lease that outlasts it; where another run holds it now, it fails with
// ErrorCode::locked.
RunResult execute(const ExecuteInputs& inputs, const std::vector<ExecutionObserver*>& observers);

// Checks before the first write the identity (machine id, host key) and preconditions of every node
// of the plan, and that the plan disturbs no node that is, unknown to it, the machine that fabric
// runs on. Fails with ErrorCode::stale naming field, expected and found, or unreachable. Returns
// those of `former.done` on which everything readable of the plan is in force.
Result<std::set<NodeName>> check_fresh(const ExecuteInputs& inputs);

}  // namespace fabric::execute
