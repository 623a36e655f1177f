// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/exit_code.hpp"

#include "tests/support/catch.hpp"

using namespace fabric;
using namespace fabric::execute;

namespace {

ActionResult result(ActionState state, ErrorCode code = ErrorCode::denied) {
  ActionResult result;
  result.state = state;
  result.code = code;
  return result;
}

RunResult run(std::vector<ActionResult> actions) {
  RunResult run;
  run.actions = std::move(actions);
  return run;
}

constexpr auto kPassed = Verification::passed;

}  // namespace

TEST_CASE("the exit code is that of the worst thing that holds", "[execute]") {
  const ActionResult done = result(ActionState::done);
  const ActionResult failed = result(ActionState::failed);
  const ActionResult unreachable = result(ActionState::failed, ErrorCode::unreachable);
  const ActionResult late = result(ActionState::failed, ErrorCode::timed_out);
  const ActionResult idle = result(ActionState::not_started);

  CHECK(exit_code(run({}), true, kPassed) == ExitCode::done);
  CHECK(
      exit_code(run({done, result(ActionState::already_satisfied)}), true, kPassed) ==
      ExitCode::done);
  CHECK(exit_code(run({failed}), true, kPassed) == ExitCode::failed);
  CHECK(exit_code(run({done, failed}), true, kPassed) == ExitCode::partly_applied);
  ActionResult half = failed;
  half.in_part = true;
  CHECK(exit_code(run({half}), true, kPassed) == ExitCode::partly_applied);
  half.rollback = Rollback::verified;
  CHECK(exit_code(run({half}), true, kPassed) == ExitCode::rolled_back);
  CHECK(exit_code(run({done, unreachable}), true, kPassed) == ExitCode::partly_applied);
  CHECK(exit_code(run({result(ActionState::unknown)}), true, kPassed) == ExitCode::partly_applied);
  CHECK(exit_code(run({unreachable, failed}), true, kPassed) == ExitCode::unreachable);
  CHECK(exit_code(run({done}), false, kPassed) == ExitCode::unreachable);
  CHECK(exit_code(run({late}), true, kPassed) == ExitCode::timed_out);
  CHECK(exit_code(run({late, unreachable}), true, kPassed) == ExitCode::unreachable);
  CHECK(exit_code(run({done}), true, Verification::failed) == ExitCode::not_verified);
  CHECK(exit_code(run({done}), false, Verification::failed) == ExitCode::not_verified);
  CHECK(
      exit_code(run({result(ActionState::failed, ErrorCode::stale)}), true, kPassed) ==
      ExitCode::stale);

  const ActionResult stale = result(ActionState::failed, ErrorCode::stale);
  CHECK(exit_code(run({stale, late, unreachable}), true, kPassed) == ExitCode::stale);
  CHECK(
      exit_code(run({stale, result(ActionState::failed, ErrorCode::locked)}), true, kPassed) ==
      ExitCode::locked);

  RunResult cancelled = run({stale, idle});
  cancelled.cancelled = true;
  CHECK(exit_code(cancelled, true, Verification::not_run) == ExitCode::stale);
  cancelled = run({done, idle});
  cancelled.cancelled = true;
  CHECK(exit_code(cancelled, true, Verification::not_run) == ExitCode::cancelled);
  cancelled.actions.push_back(failed);
  CHECK(exit_code(cancelled, true, Verification::not_run) == ExitCode::partly_applied);

  RunResult lost = run({done, failed});
  lost.lost_nodes.push_back(NodeName::parse("a").value());
  CHECK(exit_code(lost, false, Verification::failed) == ExitCode::node_lost);
}
