// SPDX-License-Identifier: Apache-2.0
// The dead-man timer of an action: armed before its first change, disarmed after its read-back.
#include "engine/execute/guard/guarded_run.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/execute/guarded_bench.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::after_arming;
using fabric::test::Bench;
using fabric::test::ending;
using fabric::test::kGuard;
using fabric::test::ScriptedRun;
using fabric::test::Words;

TEST_CASE(
    "the timer is armed before the change and disarmed over a new session after it", "[execute]") {
  Bench bench;
  bench.answers["disarm"] = {"disarmed"};
  bench.answers["ask"] = {"disarmed"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::done);
  CHECK(result.rollback == Rollback::none);
  CHECK(bench.words == after_arming({"change", "disarm", "ask"}));
}

TEST_CASE("that the timer is gone is read back, for its tools may lie", "[execute]") {
  Bench bench;
  bench.answers["disarm"] = {"disarmed"};
  bench.answers["ask"] = {"armed", "", "disarmed"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::done);
  CHECK(bench.words == after_arming({"change", "disarm", "ask", "disarm", "ask", "ask"}));
}

TEST_CASE("a tool that goes on lying about the timer is not asked for ever", "[execute]") {
  Bench bench;
  bench.answers["disarm"] = {"disarmed"};
  bench.answers["ask"] = {"armed"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::unknown);
  CHECK(result.detail.find("did not fire") != std::string::npos);
  CHECK(bench.now.time_since_epoch() > kGuard);
}

TEST_CASE("what changes nothing arms nothing", "[execute]") {
  Bench bench;
  auto inner = std::make_unique<ScriptedRun>(ending(ActionState::already_satisfied));
  inner->changes_ = false;
  CHECK(bench.run(std::move(inner)).state == ActionState::already_satisfied);
  CHECK(bench.words == Words{"read"});
}

TEST_CASE("nothing is changed where the timer can't be armed", "[execute]") {
  Bench bench;
  bench.answers["arm"] = {"!another rollback timer is armed: x"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::failed);
  CHECK(result.detail.find("another rollback timer is armed: x") != std::string::npos);
  CHECK(bench.words == Words{"read", "arm", "disarm"});
}

TEST_CASE("a timer that may be armed is cleared before the node is left alone", "[execute]") {
  Bench bench;
  bench.answers["arm"] = {"", "", ""};
  bench.answers["disarm"] = {"", "", "disarmed"};
  bench.answers["ask"] = {"disarmed"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::failed);
  CHECK(
      bench.words ==
      std::vector<std::string>{"read", "arm", "arm", "arm", "disarm", "disarm", "disarm"});
  SECTION("but not for ever") {
    Bench silent;
    silent.answers["arm"] = {""};
    silent.answers["disarm"] = {""};
    silent.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
    CHECK(silent.now < TimePoint{} + kGuard + Duration{20'000});
  }
}

TEST_CASE("a lost reply while arming is asked again", "[execute]") {
  Bench bench;
  bench.answers["arm"] = {"", "active"};
  bench.answers["disarm"] = {"disarmed"};
  bench.answers["ask"] = {"disarmed"};
  CHECK(
      bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done))).state ==
      ActionState::done);
  CHECK(bench.words == after_arming({"arm", "change", "disarm", "ask"}));
}

TEST_CASE("a boot is guarded from the boot on, and confirmed by being reached", "[execute]") {
  Bench bench;
  bench.action.draft.kind = "reboot";
  bench.answers["disarm"] = {"", "", "disarmed"};
  bench.answers["ask"] = {"disarmed"};
  const ActionResult failed =
      bench.run(std::make_unique<ScriptedRun>(ending(ActionState::failed, "chaining is off")));
  CHECK(failed.state == ActionState::failed);
  CHECK(failed.rollback == Rollback::none);
  CHECK(failed.detail == "chaining is off");
  CHECK(bench.words == after_arming({"change", "disarm", "disarm", "disarm", "ask"}));

  bench.words.clear();
  bool lost = false;
  const ActionResult gone =
      bench.run(std::make_unique<ScriptedRun>(ending(ActionState::unknown, "gone"), true), &lost);
  CHECK(lost);
  CHECK(gone.detail.find("rolls the network files back") != std::string::npos);
  CHECK(bench.words == after_arming({"change"}));
}
