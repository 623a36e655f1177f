// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/reboot/reboot_run.hpp"

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::execute {
namespace {

// Drivers, network and tools come up after sshd does.
constexpr Duration kServicesUp{60'000};
constexpr Duration kPauseBetweenReadings{2'000};

}  // namespace

RebootRun::RebootRun(const plans::Action& action, ActionContext context)
    : ReadingRun{action, std::move(context)}, proof_{context_.host().boot_proof()} {
  FABRIC_CHECK(
      action.draft.steps.size() + (action.draft.by_hand.empty() ? 0 : 1) == 1,
      "a reboot is one command, or by hand");
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
      return follow(protocol_->heard(result.ended, proof_->boot(result)));
    case State::asking_before:
      return asked_before(result);
    case State::settling:
      return booted();
    case State::reading_before:
    case State::reading_back:
      break;
  }
  FactsRequest::Progress progress = request_.next(result);
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
      fmt::format(
          "the node booted ({}), but can't be read: {}", protocol_->boot_text(), error.message));
}

RebootRun::Next RebootRun::before(const NodeFacts& facts, TimePoint now) {
  const ActionDraft& draft = action_.draft;
  if (std::string other = other_machine(facts, context_.node, context_.host()); !other.empty()) {
    return end(ActionState::failed, ErrorCode::stale, std::move(other));
  }
  // The node was rebooted otherwise since the plan was made: the work is done.
  if (!draft.postconditions.empty() &&
      context_.judge.mismatches(draft.postconditions, facts).empty()) {
    return end(ActionState::already_satisfied, ErrorCode::internal, {});
  }
  const std::vector<Mismatch> stale = context_.judge.mismatches(draft.preconditions, facts);
  if (!stale.empty()) return end(ActionState::failed, ErrorCode::stale, stale.front().text());
  if (context_.power_cycle && !by_hand()) {
    return end(
        ActionState::failed,
        ErrorCode::denied,
        fmt::format(
            "a card's tool asked for a power cycle, so a reboot would not activate the settings: "
            "switch {} off and on again, then run apply again",
            action_.node.str()));
  }
  if (proof_ == nullptr) return unprovable();
  if (proof_->has_boot_id()) {
    std::string boot_id = context_.host().identity(facts).boot_id;
    return boot_id.empty() ? unprovable() : start({std::move(boot_id)}, now);
  }
  state_ = State::asking_before;
  return proof_->ask();
}

RebootRun::Next RebootRun::asked_before(const remote::StepResult& result) {
  std::optional<platform::Boot> boot = proof_->boot(result);
  return boot ? start(*std::move(boot), result.ended) : unprovable();
}

RebootRun::Next RebootRun::unprovable() {
  return end(
      ActionState::failed,
      ErrorCode::denied,
      "the node's current boot can't be identified, so no reboot could be proven");
}

RebootRun::Next RebootRun::start(platform::Boot boot, TimePoint now) {
  protocol_.emplace(std::move(boot), now, action_.reboot);
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
      const remote::Command command{command_of_reboot(), {}, action_.draft.timeout};
      if (!action_.draft.steps.command_here().empty())
        return remote::step::RunHere{.command = command, .changes_node = true};
      return context_.host().command_step(command);
    }
    case BootProtocol::Want::ask:
      state_ = State::asking;
      return proof_->ask();
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
      return end(ActionState::failed, ErrorCode::denied, "the node does not stay up: " + detail);
    case BootProtocol::Verdict::lost:
      lost_ = true;
      return end(ActionState::unknown, ErrorCode::timed_out, "the node is lost: " + detail);
  }
  FABRIC_CHECK(false, "a verdict without a consequence");
}

// The reboot command, run on the node or on the machine that fabric runs on.
remote::Argv RebootRun::command_of_reboot() const {
  remote::Argv here = action_.draft.steps.command_here();
  return here.empty() ? action_.draft.steps.commands().front() : here;
}

RebootRun::Next RebootRun::sent(const remote::StepResult& result) {
  std::string trouble;
  if (result.outcome != remote::Outcome::succeeded) {
    trouble = result.error.message;
  } else if (result.output.exit_status != 0) {
    trouble = fmt::format(
        "{}: exit {}", remote::command_line(command_of_reboot()), result.output.exit_status);
  }
  return follow(protocol_->sent(result.ended, result.outcome, trouble));
}

RebootRun::Next RebootRun::booted() {
  result_.booted = true;
  if (state_ != State::settling) context_.phase("reading back");
  state_ = State::reading_back;
  return read(action_.draft.postconditions, {}, true);
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
          "the node booted ({}), but the boot did not activate {}",
          protocol_->boot_text(),
          unmet.front().text()));
}

}  // namespace fabric::execute
