// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/action/waiting_run.hpp"

#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric::execute {
namespace {

// A hand takes longer, and so does a link.
constexpr Duration kPause{2'000};

}  // namespace

WaitingRun::WaitingRun(const plans::Action& action, ActionContext context)
    : ReadingRun{action, std::move(context)} {
  FABRIC_CHECK(
      (by_hand() || action.draft.kind == methods::kHealthCheck) &&
          !action.draft.postconditions.empty(),
      "a waiting action has conditions to read");
}

remote::Step WaitingRun::begin() {
  return look();
}

remote::Step WaitingRun::look() {
  return read(action_.draft.postconditions, {}, false);
}

WaitingRun::Next WaitingRun::next(const remote::StepResult& result) {
  if (pausing_) {
    pausing_ = false;
    return look();
  }
  FactsRequest::Progress progress = request_.next(result);
  if (progress.step) return std::move(progress.step);
  if (progress.error) {
    if (by_hand() && !until_)
      return end(ActionState::failed, progress.error->code, progress.error->message);
    return wait(progress.error->message, result.ended);
  }
  return judge(*progress.facts, result.ended);
}

WaitingRun::Next WaitingRun::judge(const NodeFacts& facts, TimePoint now) {
  if (std::string other = other_machine(facts, context_.node, context_.host()); !other.empty())
    return end(ActionState::failed, ErrorCode::stale, std::move(other));
  const std::vector<Mismatch> unmet =
      context_.judge.mismatches(action_.draft.postconditions, facts);
  if (!unmet.empty()) return wait(missing(unmet), now);
  const bool was_so = by_hand() && !until_;
  return end(was_so ? ActionState::already_satisfied : ActionState::done, ErrorCode::internal, {});
}

std::string WaitingRun::missing(const std::vector<Mismatch>& unmet) const {
  if (by_hand()) return unmet.front().text();
  std::vector<std::string> ports;
  std::vector<std::string> managers;
  for (const Mismatch& mismatch : unmet) {
    const ResourceAddress& address = mismatch.condition.address;
    auto& list = address.kind == kinds::kSubnetManager ? managers : ports;
    list.push_back(fmt::format("{} ({})", address.name, mismatch.found));
  }
  std::vector<std::string> parts;
  if (!ports.empty())
    parts.push_back(fmt::format("no carrier at {}, which had one before", join(ports, ", ")));
  if (!managers.empty())
    parts.push_back(fmt::format("OpenSM {} no longer answers", join(managers, ", ")));
  return join(parts, "; ");
}

WaitingRun::Next WaitingRun::wait(std::string found, TimePoint now) {
  if (context_.interrupted && context_.interrupted())
    return end(ActionState::not_started, ErrorCode::internal, "the run was interrupted");
  if (!until_) {
    until_ = now + action_.draft.timeout;
    context_.phase(by_hand() ? action_.draft.by_hand : "waiting for the former state");
  }
  if (now >= *until_) {
    return end(
        ActionState::failed,
        ErrorCode::timed_out,
        fmt::format(
            "{} within {}: {}",
            by_hand() ? "no person has done it" : "the former state did not return",
            format_duration(action_.draft.timeout),
            found));
  }
  pausing_ = true;
  return remote::step::Pause{kPause};
}

}  // namespace fabric::execute
