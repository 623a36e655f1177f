#include "engine/execute/manual_run.hpp"

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/execute/work_run.hpp"

namespace fabric::execute {

namespace {

// A hand takes longer.
constexpr Duration kPause{2'000};

}  // namespace

ManualRun::ManualRun(const plans::Action& action, ActionContext context)
    : action_{action}, context_{std::move(context)}, reader_{action.node, context_.random} {
  FABRIC_CHECK(
      !action.draft.by_hand.empty() && !action.draft.postconditions.empty(),
      "a person is asked for something that can be seen");
  result_.id = action.id;
}

remote::Step ManualRun::begin() {
  return read();
}

remote::Step ManualRun::read() {
  return reader_.start(context_.judge.probes_for(action_.draft.postconditions), false);
}

ManualRun::Next ManualRun::end(ActionState state, ErrorCode code, std::string detail) {
  result_.state = state;
  result_.code = code;
  result_.detail = std::move(detail);
  return std::nullopt;
}

ManualRun::Next ManualRun::next(const remote::StepResult& result) {
  if (pausing_) {
    pausing_ = false;
    return read();
  }
  FactsReader::Progress progress = reader_.next(result);
  if (progress.step) return std::move(progress.step);
  if (progress.error) {
    if (!until_) return end(ActionState::failed, progress.error->code, progress.error->message);
    return wait(progress.error->message, result.ended);
  }
  return judge(*progress.facts, result.ended);
}

ManualRun::Next ManualRun::judge(const NodeFacts& facts, TimePoint now) {
  if (std::string other = other_machine(facts, context_.node); !other.empty())
    return end(ActionState::failed, ErrorCode::stale, std::move(other));
  const std::vector<Mismatch> unmet =
      context_.judge.mismatches(action_.draft.postconditions, facts);
  if (!unmet.empty()) return wait(unmet.front().text(), now);
  return end(until_ ? ActionState::done : ActionState::already_satisfied, ErrorCode::internal, {});
}

ManualRun::Next ManualRun::wait(std::string found, TimePoint now) {
  if (context_.interrupted && context_.interrupted())
    return end(ActionState::not_started, ErrorCode::internal, "the run was interrupted");
  if (!until_) {
    until_ = now + action_.draft.timeout;
    context_.phase(action_.draft.by_hand);
  }
  if (now >= *until_) {
    return end(
        ActionState::failed,
        ErrorCode::timed_out,
        fmt::format(
            "nobody has done it within {}: {}", format_duration(action_.draft.timeout), found));
  }
  pausing_ = true;
  return remote::step::Pause{kPause};
}

}  // namespace fabric::execute
