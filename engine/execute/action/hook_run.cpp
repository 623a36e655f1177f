// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/action/hook_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/secrets/redaction.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::execute {

namespace {

// EX_TEMPFAIL of sysexits.h: a failure that will go away, to be tried again later.
constexpr int kNotYet = 75;

// The outcome without ActionContext::outcome.
constexpr const char* kUnknownOutcome = "unknown";

std::string both_streams(const remote::CommandOutput& output) {
  std::string text = output.standard_output;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return without_secrets(text + output.standard_error);
}

}  // namespace

HookRun::HookRun(const plans::Action& action, ActionContext context)
    : action_{action},
      command_{action.draft.steps.command_here()},
      context_{std::move(context)},
      record_{action, context_} {
  result_.id = action.id;
}

bool HookRun::is_before() const {
  return action_.draft.kind == methods::kHookBefore;
}

remote::Step HookRun::begin() {
  if (context_.pause > Duration{0}) {
    pausing_ = true;
    context_.phase("waiting before it is asked again");
    return pause();
  }
  const bool has_record = !action_.draft.postconditions.empty();
  const bool record_first = is_before() || command_.empty();
  return record_first && has_record ? record_.begin() : run();
}

// One part of the pause, so that an interrupt is heard.
remote::Step HookRun::pause() {
  const Duration part = std::min(context_.pause, kSettlePause);
  context_.pause -= part;
  return remote::step::Pause{part};
}

remote::Step HookRun::run() {
  running_ = true;
  context_.phase(fmt::format("running {}", remote::command_line(command_)));
  remote::step::RunHere here{remote::Command{command_, {}, action_.draft.timeout}};
  here.environment = {
      {"FABRIC_NODE", action_.node.str()}, {"FABRIC_HOOK", is_before() ? "before" : "after"}};
  if (!is_before())
    here.environment.emplace(
        "FABRIC_OUTCOME", context_.outcome ? context_.outcome() : kUnknownOutcome);
  return here;
}

HookRun::Next HookRun::end(ActionState state, ErrorCode code, std::string detail) {
  result_.state = state;
  result_.code = code;
  result_.detail = std::move(detail);
  return std::nullopt;
}

HookRun::Next HookRun::next(const remote::StepResult& result) {
  if (pausing_) {
    if (context_.interrupted && context_.interrupted()) {
      // As if it had been asked, for what it began is to be ended.
      result_.not_yet = true;
      return end(ActionState::failed, ErrorCode::cancelled, "not asked again: interrupted");
    }
    if (context_.pause > Duration{0}) return pause();
    pausing_ = false;
    return begin();
  }
  if (running_) {
    running_ = false;
    return ran(result);
  }
  Next step = record_.next(result);
  return step ? step : recorded();
}

HookRun::Next HookRun::ran(const remote::StepResult& result) {
  const std::string command = remote::command_line(command_);
  result_.output = both_streams(result.output);
  if (result.outcome != remote::Outcome::succeeded)
    return end(
        ActionState::failed,
        result.error.code,
        fmt::format("{}: {}", command, result.error.message));
  result_.not_yet = is_before() && result.output.exit_status == kNotYet;
  if (result.output.exit_status != 0) {
    return end(
        ActionState::failed,
        ErrorCode::denied,
        fmt::format(
            "{}: exit {}{}", command, result.output.exit_status, last_words(result.output)));
  }
  said_ = last_words(result.output);
  if (said_.starts_with(": ")) said_.erase(0, 2);
  if (is_before()) return end(ActionState::done, ErrorCode::internal, said_);
  return record_.begin();
}

HookRun::Next HookRun::recorded() {
  const ActionResult& record = record_.result();
  const bool right =
      record.state == ActionState::done || record.state == ActionState::already_satisfied;
  if (!right) {
    result_.began = !is_before();
    return end(
        record.state,
        record.code,
        is_before() || command_.empty()
            ? record.detail
            : fmt::format(
                  "the hook ran, but its record on the node could not be removed: {}",
                  record.detail));
  }
  if (!is_before() || command_.empty()) return end(ActionState::done, ErrorCode::internal, said_);
  return run();
}

}  // namespace fabric::execute
