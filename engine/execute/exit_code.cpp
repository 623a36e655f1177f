#include "engine/execute/exit_code.hpp"

#include <algorithm>

namespace fabric::execute {

ExitCode exit_code(const RunResult& run, bool plan_complete, Verification verification) {
  const auto any = [&](auto predicate) {
    return std::any_of(run.actions.begin(), run.actions.end(), predicate);
  };
  const auto any_code = [&](ErrorCode code) {
    return any([code](const ActionResult& result) {
      return (result.state == ActionState::failed || result.state == ActionState::unknown) &&
             result.code == code;
    });
  };
  const auto any_state = [&](ActionState state) {
    return any([state](const ActionResult& result) { return result.state == state; });
  };
  const bool unknown = any_state(ActionState::unknown);
  const bool failed = unknown || any_state(ActionState::failed);

  const auto any_rollback = [&](Rollback rollback) {
    return any([rollback](const ActionResult& result) { return result.rollback == rollback; });
  };
  if (!run.lost_nodes.empty() || any_rollback(Rollback::failed)) return ExitCode::node_lost;
  if (any_rollback(Rollback::verified)) return ExitCode::rolled_back;
  if (unknown || (failed && any_state(ActionState::done))) return ExitCode::partly_applied;
  if (any_code(ErrorCode::locked)) return ExitCode::locked;
  if (!failed && verification == Verification::failed) return ExitCode::not_verified;
  if (!plan_complete || any_code(ErrorCode::unreachable)) return ExitCode::incomplete;
  if (any_code(ErrorCode::timed_out)) return ExitCode::timed_out;
  if (run.cancelled) return ExitCode::cancelled;
  if (any_code(ErrorCode::stale)) return ExitCode::stale;
  return run.all_done() ? ExitCode::done : ExitCode::failed;
}

}  // namespace fabric::execute
