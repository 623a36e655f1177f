// SPDX-License-Identifier: Apache-2.0
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
  ExitCode code = run.all_done() ? ExitCode::done : ExitCode::failed;
  const auto holds = [&code](bool condition, ExitCode other) {
    if (condition) code = worse(code, other);
  };
  holds(!run.lost_nodes.empty() || any_rollback(Rollback::failed), ExitCode::node_lost);
  holds(any_rollback(Rollback::verified), ExitCode::rolled_back);
  const bool in_part = any([](const ActionResult& result) {
    return result.in_part && result.rollback != Rollback::verified;
  });
  holds(unknown || in_part || (failed && any_state(ActionState::done)), ExitCode::partly_applied);
  holds(verification == Verification::left, ExitCode::partly_applied);
  holds(any_code(ErrorCode::locked), ExitCode::locked);
  holds(any_code(ErrorCode::stale), ExitCode::stale);
  holds(!failed && verification == Verification::failed, ExitCode::not_verified);
  holds(
      !plan_complete || !run.dead_nodes.empty() || any_code(ErrorCode::unreachable),
      ExitCode::unreachable);
  holds(any_code(ErrorCode::timed_out), ExitCode::timed_out);
  holds(run.cancelled || run.paused, ExitCode::cancelled);
  return code;
}

}  // namespace fabric::execute
