// SPDX-License-Identifier: Apache-2.0
// ActionRun: one action from its first reading to its read-back, as a state machine that names one
// step after the other. It never waits or sends anything itself.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/execute/action/conditions.hpp"
#include "engine/execute/action/observer.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/remote/runner.hpp"
#include "plans/plan.hpp"

namespace fabric::execute {

// The parts of its run that an action uses; everything outlives the action.
struct ActionContext {
  const plans::PlanNode& node;
  const ConditionJudge& judge;
  Random& random;
  std::function<void(const std::string&)> phase;  // called when a new phase begins
  // Called by an action that waits for a person, who may never come. Null = never interrupted.
  std::function<bool()> interrupted = nullptr;
  // The state of the node so far: "succeeded", "failed", "lost". Null = unknown.
  std::function<std::string()> outcome = nullptr;
  // Running values before the action (conditions.hpp); a rollback must restore them.
  std::vector<Condition> former{};
  // Conditions on the content of its files before the action; read if the rollback reports trouble.
  std::vector<Condition> former_files{};
  // An action of this run on the node ended with ActionResult::power_cycle.
  bool power_cycle = false;
  // The time until a hook that said "not yet" is started again.
  Duration pause{0};

  const platform::HostPlatform& host() const { return judge.host(node.platform); }
  std::vector<Probe> probes_for(const std::vector<Condition>& conditions) const {
    return judge.probes_for(node.platform, conditions);
  }
};

// The effect of a command may take a moment to be in force (networkd configures on its own time):
// the time between read-backs.
inline constexpr Duration kSettlePause{1'000};

class ActionRun {
 public:
  virtual ~ActionRun() = default;
  virtual remote::Step begin() = 0;
  // The step after `result`; nullopt when the action has ended.
  virtual std::optional<remote::Step> next(const remote::StepResult& result) = 0;
  // True if the last returned step is the first that may change the node, or one after it.
  virtual bool changes_node() const = 0;
  // REQUIRES: ended. The caller sets `took`.
  virtual const ActionResult& result() const = 0;
  // True if the node went down for a reboot and did not come back.
  virtual bool node_lost() const = 0;
};

// `action` and the references in `context` must outlive the run.
std::unique_ptr<ActionRun> make_action_run(const plans::Action& action, ActionContext context);

}  // namespace fabric::execute
