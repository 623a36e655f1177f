// SPDX-License-Identifier: Apache-2.0
// WorkRun: an ordinary action. Read, compare, write, read back; the read-back decides.
#pragma once

#include <vector>

#include "engine/execute/action/reading_run.hpp"

namespace fabric::execute {

class WorkRun final : public ReadingRun {
 public:
  WorkRun(const plans::Action& action, ActionContext context);
  std::optional<remote::Step> next(const remote::StepResult& result) override;
  bool node_lost() const override { return false; }
  bool changes_node() const override { return state_ == State::working; }

 private:
  enum class State : std::uint8_t {
    reading_before,
    working,
    pausing_before_retry,
    settling,
    reading_back,
    flushing,
    pausing_before_flush
  };

  Next before(const NodeFacts& facts);
  Next work_on(const remote::StepResult& result);
  Next read_back();
  Next back(const NodeFacts& facts, TimePoint now);
  Next repeat();
  // Writes to disk before the action is reported as done by this or an earlier run.
  Next flush();
  Next flushed(const remote::StepResult& result);
  bool may_be_lost() const;
  Next read_failed(const Error& error);
  // For an action that is done once: true if it may still be under way, unknown to the run that
  // lost it.
  bool may_go_on(const std::vector<Mismatch>& unmet, TimePoint now);
  // True if the read-back proves the effect of a command that failed or whose reply was lost: a
  // reading of files alone does not show the running value.
  bool is_witnessed() const;
  // For an action that failed: the values that it changed all the same, as ActionResult::in_part
  // says; "" for none.
  std::string part_text(const std::vector<Mismatch>& unmet);
  bool may_settle(const std::vector<Mismatch>& unmet, TimePoint now) const;

  State state_ = State::reading_before;
  std::vector<remote::Step> steps_;
  std::size_t at_ = 0;  // step in flight
  int step_retries_ = 0;
  int flush_retries_ = 0;
  std::vector<Mismatch> unmet_before_;  // postconditions that did not hold when it began
  ActionState ends_as_ = ActionState::done;
  std::string trouble_;          // the error that a step reported; "" = success
  std::optional<Error> lost_;    // the reply of a step was lost
  bool command_failed_ = false;  // a command failed, or its reply was lost
  bool repeated_ = false;
  std::optional<TimePoint> settle_by_;
  std::optional<TimePoint> over_by_;  // for an action that is done once, after its reply was lost
};

// ": " and the last line with text, "" if there is none: tools print the error last, some on
// standard output.
std::string last_words(const remote::CommandOutput& output);

// Why the plan's node is another machine now; "" = it is the same.
std::string other_machine(
    const NodeFacts& facts, const plans::PlanNode& node, const platform::HostPlatform& host);

}  // namespace fabric::execute
