#include "engine/execute/reboot/reboot_run.hpp"

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/discovery/identity.hpp"
#include "engine/execute/action/hook_run.hpp"
#include "engine/execute/action/waiting_run.hpp"
#include "engine/execute/action/work_run.hpp"
#include "engine/execute/guard/guarded_run.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/disruption_hooks.hpp"
#include "engine/remote/shell.hpp"
#include "plans/health_gates.hpp"
#include "plans/reboots.hpp"

namespace fabric::execute {

namespace {

constexpr Duration kAskTimeout{10'000};
// Drivers, network and tools come up after sshd does.
constexpr Duration kServicesUp{60'000};
constexpr Duration kPauseBetweenReadings{2'000};

remote::Step ask_boot_id() {
  return remote::step::Run{
      remote::Command{{"cat", "/proc/sys/kernel/random/boot_id"}, {}, kAskTimeout}, true};
}

// Strict: a banner or a wall message beside the id is no answer.
std::optional<std::string> boot_id_of(const remote::StepResult& result) {
  if (result.outcome != remote::Outcome::succeeded || result.output.exit_status != 0)
    return std::nullopt;
  std::string text = result.output.standard_output;
  if (text.ends_with('\n')) text.pop_back();
  if (!discovery::is_boot_id(text)) return std::nullopt;
  return text;
}

}  // namespace

RebootRun::RebootRun(const plans::Action& action, ActionContext context)
    : action_{action}, context_{std::move(context)}, reader_{action.node, context_.random} {
  FABRIC_CHECK(
      action.draft.commands.size() + (action.reboot.command.empty() ? 0 : 1) +
              (action.draft.by_hand.empty() ? 0 : 1) ==
          1,
      "a reboot is one command, or by hand");
  result_.id = action.id;
}

remote::Step RebootRun::begin() {
  std::vector<Condition> conditions = action_.draft.preconditions;
  conditions.insert(
      conditions.end(), action_.draft.postconditions.begin(), action_.draft.postconditions.end());
  return reader_.start(context_.judge.probes_for(conditions), false);
}

RebootRun::Next RebootRun::end(ActionState state, ErrorCode code, std::string detail) {
  result_.state = state;
  result_.code = code;
  result_.detail = std::move(detail);
  return std::nullopt;
}

RebootRun::Next RebootRun::next(const remote::StepResult& result) {
  switch (state_) {
    case State::pausing:
      tell_phase();
      return perform(after_pause_);
    case State::sending:
      return sent(result);
    case State::asking:
      if (by_hand() && protocol_->still_waits() && context_.interrupted && context_.interrupted())
        return end(ActionState::not_started, ErrorCode::internal, "the run was interrupted");
      return follow(protocol_->heard(result.ended, boot_id_of(result)));
    case State::settling:
      return booted();
    case State::reading_before:
    case State::reading_back:
      break;
  }
  FactsReader::Progress progress = reader_.next(result);
  if (progress.step) return std::move(progress.step);
  if (progress.facts) {
    return state_ == State::reading_before ? before(*progress.facts, result.ended)
                                           : back(*progress.facts, result.ended);
  }
  const Error& error = *progress.error;
  if (state_ == State::reading_before) return end(ActionState::failed, error.code, error.message);
  return end(
      ActionState::unknown,
      error.code,
      fmt::format("it booted ({}), but can't be read: {}", protocol_->boot_id(), error.message));
}

RebootRun::Next RebootRun::before(const NodeFacts& facts, TimePoint now) {
  const ActionDraft& draft = action_.draft;
  if (std::string other = other_machine(facts, context_.node); !other.empty()) {
    return end(ActionState::failed, ErrorCode::stale, std::move(other));
  }
  // Somebody else has rebooted it since the plan was made: all the better.
  if (!draft.postconditions.empty() &&
      context_.judge.mismatches(draft.postconditions, facts).empty()) {
    return end(ActionState::already_satisfied, ErrorCode::internal, {});
  }
  const std::vector<Mismatch> stale = context_.judge.mismatches(draft.preconditions, facts);
  if (!stale.empty()) return end(ActionState::failed, ErrorCode::stale, stale.front().text());
  const std::string boot_id = discovery::identity_of(facts).boot_id;
  if (boot_id.empty()) {
    return end(
        ActionState::failed,
        ErrorCode::denied,
        "boot_id can't be read, so that a reboot could not be proven");
  }
  protocol_.emplace(boot_id, action_.reboot);
  return follow(by_hand() ? protocol_->watch(now) : protocol_->begin(now));
}

void RebootRun::tell_phase() {
  const std::string_view phase = by_hand() && protocol_->still_waits()
                                     ? std::string_view{action_.draft.by_hand}
                                     : protocol_->phase();
  if (told_phase_ == phase) return;
  told_phase_ = phase;
  context_.phase(told_phase_);
}

RebootRun::Next RebootRun::follow(BootProtocol::Request request) {
  // A person is asked only when the rollback timer, if there is one, is armed: after this step.
  const bool asks_a_person = by_hand() && protocol_->still_waits();
  if (request.want != BootProtocol::Want::end && !asks_a_person) tell_phase();
  if (request.pause > Duration{0}) {
    state_ = State::pausing;
    after_pause_ = request.want;
    return remote::step::Pause{request.pause};
  }
  return perform(request.want);
}

RebootRun::Next RebootRun::perform(BootProtocol::Want want) {
  switch (want) {
    case BootProtocol::Want::send: {
      state_ = State::sending;
      const remote::Argv& elsewhere = action_.reboot.command;
      if (!elsewhere.empty())
        return remote::step::RunHere{remote::Command{elsewhere, {}, action_.draft.timeout}};
      remote::Command command{action_.draft.commands.front(), {}, action_.draft.timeout};
      return remote::step::Run{std::move(command), false};
    }
    case BootProtocol::Want::ask:
      state_ = State::asking;
      return ask_boot_id();
    case BootProtocol::Want::end:
      break;
  }
  const std::string& detail = protocol_->detail();
  switch (protocol_->verdict()) {
    case BootProtocol::Verdict::rebooted:
      return booted();
    case BootProtocol::Verdict::not_rebooted:
      return end(ActionState::failed, ErrorCode::timed_out, "not rebooted: " + detail);
    case BootProtocol::Verdict::not_sent:
      return end(
          ActionState::failed,
          ErrorCode::unreachable,
          "the reboot could not be started: " + detail);
    case BootProtocol::Verdict::unstable:
      return end(ActionState::failed, ErrorCode::denied, "it does not stay up: " + detail);
    case BootProtocol::Verdict::lost:
      lost_ = true;
      return end(ActionState::unknown, ErrorCode::timed_out, "the node is lost: " + detail);
  }
  FABRIC_CHECK(false, "a verdict without a consequence");
}

RebootRun::Next RebootRun::sent(const remote::StepResult& result) {
  std::string trouble;
  if (result.outcome != remote::Outcome::succeeded) {
    trouble = result.error.message;
  } else if (result.output.exit_status != 0) {
    const remote::Argv& elsewhere = action_.reboot.command;
    trouble = fmt::format(
        "{}: exit {}",
        remote::command_line(elsewhere.empty() ? action_.draft.commands.front() : elsewhere),
        result.output.exit_status);
  }
  return follow(protocol_->sent(result.ended, result.outcome, trouble));
}

RebootRun::Next RebootRun::booted() {
  if (state_ != State::settling) context_.phase("reading back");
  state_ = State::reading_back;
  return reader_.start(context_.judge.probes_for(action_.draft.postconditions), true);
}

RebootRun::Next RebootRun::back(const NodeFacts& facts, TimePoint now) {
  const std::vector<Mismatch> unmet =
      context_.judge.mismatches(action_.draft.postconditions, facts);
  if (unmet.empty()) return end(ActionState::done, ErrorCode::internal, protocol_->detail());
  if (!settle_by_) settle_by_ = now + kServicesUp;
  if (now < *settle_by_) {
    state_ = State::settling;
    return remote::step::Pause{kPauseBetweenReadings};
  }
  return end(
      ActionState::failed,
      ErrorCode::denied,
      fmt::format(
          "it booted ({}), but that did not activate {}",
          protocol_->boot_id(),
          unmet.front().text()));
}

std::unique_ptr<ActionRun> make_action_run(const plans::Action& action, ActionContext context) {
  std::unique_ptr<ActionRun> run;
  if (action.draft.kind == methods::kReboot) {
    run = std::make_unique<RebootRun>(action, context);
  } else if (
      action.draft.kind == methods::kHookBefore || action.draft.kind == methods::kHookAfter) {
    run = std::make_unique<HookRun>(action, context);
  } else if (!action.draft.by_hand.empty() || action.draft.kind == methods::kHealthCheck) {
    run = std::make_unique<WaitingRun>(action, context);
  } else {
    run = std::make_unique<WorkRun>(action, context);
  }
  if (action.guard == Duration{0}) return run;
  return std::make_unique<GuardedRun>(action, std::move(context), std::move(run));
}

}  // namespace fabric::execute
