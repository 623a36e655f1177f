// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run/run_text.hpp"

#include "tests/support/catch.hpp"

using namespace fabric;
using execute::ActionState;
using execute::RecordedAction;
using execute::RunRecord;

namespace {

RunRecord record() {
  RunRecord run;
  run.run = "20261120T101227Z-3f9c";
  run.fabric = "ring";
  run.started = "2026-11-20T10:12:27.123Z";
  run.planned = 3;
  run.actions = {
      {"a0001",
       "pve1",
       "settings.set",
       "set LINK_TYPE_P1=2",
       true,
       ActionState::done,
       {},
       {},
       {},
       {}},
      {"a0002", "pve1", "reboot", "reboot pve1", false, ActionState::unknown, {}, {}, {}, {}}};
  return run;
}

}  // namespace

TEST_CASE("a run that was cut short says what was in flight", "[report]") {
  const std::string text = report::run_text(record(), {}).str();
  CHECK(
      text.find("a0002 pve1: in flight when the run was cut short: reboot pve1") !=
      std::string::npos);
  CHECK(text.ends_with("cut short after 1 of 3 actions\n"));
}

TEST_CASE("what a hook printed is shown below it, and can't command the terminal", "[report]") {
  RunRecord run = record();
  run.actions[0].output = "draining pve1\npod db-0 \x1b[2Jgone\n";
  const std::string text = report::run_text(run, {}).str();
  CHECK(text.find("set LINK_TYPE_P1=2\n    | draining pve1\n    | pod db-0 ") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("the history has a line for each run", "[report]") {
  RunRecord failed = record();
  failed.ended = "2026-11-20T10:15:00.000Z";
  failed.actions[1].ended = true;
  failed.actions[1].state = ActionState::failed;
  RunRecord applied = failed;
  applied.planned = 1;
  CHECK(
      report::history_text({failed, RunRecord{}}) ==
      "2026-11-20T10:12:27Z  20261120T101227Z-3f9c  1 of 3 actions, 1 failed\n"
      "never began                                  nothing was written\n");
  CHECK(report::outcome_text(applied) == "applied, 1 action");
  CHECK(report::history_text({}) == "no runs here yet\n");
}
