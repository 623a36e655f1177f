// SPDX-License-Identifier: Apache-2.0
// The run of an action that waits: for the work of a person, or for the links of a node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/execute/action/reading_run.hpp"

namespace fabric::execute {

// Reads until the postconditions hold, or draft.timeout is over: then it has failed
// (ErrorCode::timed_out). A person's work is already_satisfied if they held at once. A node that
// does not answer meanwhile may be in that person's hands, or just up again: it is asked again. If
// the run is interrupted, the wait ends as not_started: nothing was changed.
class WaitingRun final : public ReadingRun {
 public:
  // REQUIRES: action.draft has postconditions, and `by_hand` or methods::kHealthCheck.
  WaitingRun(const plans::Action& action, ActionContext context);
  remote::Step begin() override;
  std::optional<remote::Step> next(const remote::StepResult& result) override;
  bool node_lost() const override { return false; }
  bool changes_node() const override { return false; }

 private:
  Next judge(const NodeFacts& facts, TimePoint now);
  Next wait(std::string found, TimePoint now);
  remote::Step look();
  bool by_hand() const { return !action_.draft.by_hand.empty(); }
  // The missing condition, for people.
  std::string missing(const std::vector<Mismatch>& unmet) const;

  bool pausing_ = false;
  std::optional<TimePoint> until_;  // set when a person was asked
};

}  // namespace fabric::execute
