// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/guard/guarded_run.hpp"

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/secrets/redaction.hpp"
#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric::execute {

namespace {

using platform::GuardState;

const platform::RollbackTimer& timer_of(const ActionContext& context) {
  const platform::RollbackTimer* timer = context.host().rollback_timer();
  FABRIC_CHECK(timer != nullptr, "a guard on a node that has no rollback timer");
  return *timer;
}

constexpr int kArmRetries = 2;
constexpr Duration kPauseBetweenAnswers{2'000};
// After the timer has fired: what it starts needs its time, and the node has to be found again.
constexpr Duration kRollbackTime{90'000};

bool answered(const remote::StepResult& result) {
  return result.outcome == remote::Outcome::succeeded;
}

constexpr std::string_view kInPart = "the rollback on the node failed in part";

std::string trouble_of(const remote::StepResult& result) {
  if (!answered(result)) return result.error.message;
  const std::string text = without_secrets(result.output.standard_error);
  const std::string_view said = trim(text);
  return said.empty() ? fmt::format("exit {}", result.output.exit_status) : std::string{said};
}

}  // namespace

GuardedRun::GuardedRun(
    const plans::Action& action, ActionContext context, std::unique_ptr<ActionRun> inner)
    : action_{action},
      context_{std::move(context)},
      inner_{std::move(inner)},
      timer_{timer_of(context_)},
      order_{
          fmt::format("{:016x}", context_.random.next()),
          fmt::format("action {} of {}", action.id, action.node.str()),
          action.guard,
          action.draft.kind == methods::kReboot},
      request_{action.node, context_.host(), context_.random} {
  FABRIC_CHECK(action.guard > Duration{0}, "a guard has its time");
}

remote::Step GuardedRun::begin() {
  return inner_->begin();
}

GuardedRun::Next GuardedRun::next(const remote::StepResult& result) {
  if (pausing_) return repeat();
  switch (state_) {
    case State::acting:
      return act(result);
    case State::arming:
      return armed(result);
    case State::giving_up_arming:
      return gave_up_arming(result);
    case State::clearing:
      return end();
    case State::disarming:
      return disarmed(result);
    case State::checking:
      return checked(result);
    case State::firing:
      return ask();
    case State::asking:
      return asked(result);
    case State::looking:
      return looked(result);
    case State::settling:
      return look();
  }
  FABRIC_CHECK(false, "a state without a consequence");
}

GuardedRun::Next GuardedRun::end() {
  return std::nullopt;
}

GuardedRun::Next GuardedRun::act(const remote::StepResult& result) {
  Next step = inner_->next(result);
  if (!step) return acted(result.ended);
  if (!inner_->changes_node()) return step;
  if (is_armed_) return timer_.while_armed(order_.token, *std::move(step));
  held_ = *std::move(step);
  return arm();
}

GuardedRun::Next GuardedRun::arm() {
  context_.phase(fmt::format("arming the rollback timer ({})", format_duration(action_.guard)));
  state_ = State::arming;
  return timer_.arm(order_, action_.draft.undo);
}

GuardedRun::Next GuardedRun::armed(const remote::StepResult& result) {
  if (answered(result) && result.output.exit_status == 0) {
    is_armed_ = true;
    state_ = State::acting;
    context_.phase("changing, with the rollback timer armed");
    return timer_.while_armed(order_.token, std::move(held_));
  }
  if (!answered(result) && retries_ < kArmRetries) {
    ++retries_;
    return pause();
  }
  result_.id = action_.id;
  result_.state = ActionState::failed;
  result_.code = answered(result) ? ErrorCode::denied : result.error.code;
  result_.detail =
      "the rollback timer could not be armed, and nothing was changed: " + trouble_of(result);
  state_ = State::giving_up_arming;
  fires_by_ = result.ended + action_.guard;
  return timer_.disarm(order_.token);
}

// The timer may be armed although no answer came: it would then hold up all later changes.
GuardedRun::Next GuardedRun::gave_up_arming(const remote::StepResult& result) {
  if (answered(result) || result.ended >= fires_by_) return end();
  return pause();
}

GuardedRun::Next GuardedRun::acted(TimePoint now) {
  result_ = inner_->result();
  lost_ = inner_->node_lost();
  if (!is_armed_) return end();
  fires_by_ = now + action_.guard;
  give_up_ = fires_by_ + kRollbackTime;
  const bool right =
      result_.state == ActionState::done || result_.state == ActionState::already_satisfied;
  if (lost_) {
    result_.detail += fmt::format(
        "; if it boots, it rolls the network files back {} later by itself (guard {})",
        format_duration(action_.guard),
        order_.token);
    return end();
  }
  // A boot can't be rolled back: a node that can be reached keeps its files, whatever else is
  // wrong.
  if (right || order_.across_reboot) return disarm();
  context_.phase("rolling back");
  state_ = State::firing;
  return timer_.fire(order_.token);
}

GuardedRun::Next GuardedRun::disarm() {
  if (state_ != State::disarming) context_.phase("confirming over a new session");
  state_ = State::disarming;
  return timer_.disarm(order_.token);
}

GuardedRun::Next GuardedRun::disarmed(const remote::StepResult& result) {
  const GuardState said = answered(result) ? timer_.state(result) : GuardState::unknown;
  if (said == GuardState::disarmed) {
    state_ = State::checking;
    return timer_.ask(order_.token);
  }
  if (said == GuardState::unknown && result.ended < fires_by_) return pause();
  return not_confirmed();
}

// Reads back that the timer is gone: one that is still armed would roll back, in silence, work that
// was reported as done.
GuardedRun::Next GuardedRun::checked(const remote::StepResult& result) {
  switch (answered(result) ? timer_.state(result) : GuardState::unknown) {
    case GuardState::disarmed:
      return end();
    case GuardState::armed:
      // A tool that goes on lying is asked again after a pause, and not for ever.
      if (result.ended >= fires_by_) break;
      state_ = State::disarming;
      return pause();
    case GuardState::unknown:
      // It was said once, and nothing speaks against it.
      return result.ended < fires_by_ ? pause() : end();
    case GuardState::firing:
    case GuardState::rolled_back:
    case GuardState::rollback_failed:
      break;
  }
  return not_confirmed();
}

GuardedRun::Next GuardedRun::not_confirmed() {
  if (result_.state == ActionState::done) {
    result_.detail = fmt::format(
        "it was in force, but no new session could confirm it within {}",
        format_duration(action_.guard));
    result_.code = ErrorCode::timed_out;
  }
  context_.phase("waiting for the rollback");
  return ask();
}

GuardedRun::Next GuardedRun::ask() {
  state_ = State::asking;
  return timer_.ask(order_.token);
}

GuardedRun::Next GuardedRun::asked(const remote::StepResult& result) {
  switch (answered(result) ? timer_.state(result) : GuardState::unknown) {
    case GuardState::rolled_back:
      return rolled_back();
    case GuardState::rollback_failed:
      return rolled_back_in_part();
    case GuardState::disarmed:
      return lost("the rollback timer is gone from the node");
    case GuardState::armed:
    case GuardState::firing:
    case GuardState::unknown:
      break;
  }
  if (result.ended < give_up_) return pause();
  return lost(
      answered(result) ? "the rollback timer did not fire"
                       : "the node can't be reached: " + result.error.message);
}

GuardedRun::Next GuardedRun::pause() {
  pausing_ = true;
  return remote::step::Pause{kPauseBetweenAnswers};
}

GuardedRun::Next GuardedRun::repeat() {
  pausing_ = false;
  if (state_ == State::arming) return timer_.arm(order_, action_.draft.undo);
  if (state_ == State::giving_up_arming) return timer_.disarm(order_.token);
  if (state_ == State::checking) return timer_.ask(order_.token);
  return state_ == State::disarming ? disarm() : ask();
}

GuardedRun::Next GuardedRun::rolled_back() {
  result_.state = ActionState::failed;
  if (context_.former.empty()) return rolled_back({}, Rollback::verified);
  context_.phase("reading back the running state");
  return look();
}

// The report of a command is no proof that its effect is missing: some commands report the trouble
// of an interface that they were not asked about. The present state is the proof.
GuardedRun::Next GuardedRun::rolled_back_in_part() {
  if (context_.former.empty()) return lost(std::string{kInPart});
  in_part_ = true;
  context_.former.insert(
      context_.former.end(), context_.former_files.begin(), context_.former_files.end());
  context_.phase("a command of the rollback failed: reading back the present state");
  return look();
}

GuardedRun::Next GuardedRun::look() {
  state_ = State::looking;
  return request_.start(context_.probes_for(context_.former), true);
}

// Reads the former values: success of the rollback's commands is no evidence that they are back.
GuardedRun::Next GuardedRun::looked(const remote::StepResult& result) {
  FactsRequest::Progress progress = request_.next(result);
  if (progress.step) return std::move(progress.step);
  if (progress.error)
    return not_as_before("the running state can't be read back: " + progress.error->message);
  const std::vector<Mismatch> unmet = context_.judge.mismatches(context_.former, *progress.facts);
  if (unmet.empty()) {
    result_.state = ActionState::failed;
    return rolled_back(
        in_part_ ? "; a command of the rollback failed there, and all is as before" : "",
        Rollback::verified);
  }
  if (!settle_by_) settle_by_ = result.ended + action_.draft.settles;
  if (result.ended < *settle_by_) {
    state_ = State::settling;
    return remote::step::Pause{kSettlePause};
  }
  std::string text;
  for (const Mismatch& mismatch : unmet)
    text += (text.empty() ? "" : "; ") + mismatch.text();
  return not_as_before(
      fmt::format("but the {} state differs: {}", in_part_ ? "present" : "running", text));
}

GuardedRun::Next GuardedRun::not_as_before(const std::string& how) {
  if (in_part_) return lost(fmt::format("{}; {}", kInPart, how));
  return rolled_back("; " + how, Rollback::failed);
}

GuardedRun::Next GuardedRun::rolled_back(const std::string& how, Rollback rollback) {
  result_.rollback = rollback;
  const std::size_t files =
      action_.draft.undo.writes().size() + action_.draft.undo.removes().size();
  result_.detail += "; rolled back by the node itself and reached again";
  if (files > 0) result_.detail += fmt::format(": {} files as they were", files);
  result_.detail += how;
  state_ = State::clearing;
  return timer_.clear(order_.token);
}

GuardedRun::Next GuardedRun::lost(std::string why) {
  result_.state = ActionState::unknown;
  result_.rollback = Rollback::failed;
  result_.detail += fmt::format("; {} (guard {} on the node)", why, order_.token);
  return end();
}

}  // namespace fabric::execute
