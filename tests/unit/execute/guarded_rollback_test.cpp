// SPDX-License-Identifier: Apache-2.0
// A guarded action that is rolled back: by whom, and what is read back of it.
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "engine/execute/action/observer.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"
#include "tests/support/fake_provider.hpp"
#include "tests/unit/execute/guarded_bench.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::after_arming;
using fabric::test::Bench;
using fabric::test::ending;
using fabric::test::kGuard;
using fabric::test::ScriptedRun;

TEST_CASE("a change that is not right is rolled back, and that is read back", "[execute]") {
  Bench bench;
  bench.answers["fire"] = {"firing"};
  bench.answers["ask"] = {"", "firing", "rolled-back"};
  const ActionResult result =
      bench.run(std::make_unique<ScriptedRun>(ending(ActionState::failed, "mtu is 1500")));
  CHECK(result.state == ActionState::failed);
  CHECK(result.rollback == Rollback::verified);
  CHECK(result.detail.starts_with("mtu is 1500; rolled back"));
  CHECK(bench.words == after_arming({"change", "fire", "ask", "ask", "ask", "clear"}));
}

TEST_CASE("what was rolled back runs as before, or that is said", "[execute]") {
  Bench bench{{test::ResourceBuilder{"a/interface/p1"}.wants("mtu", 9000)}};
  bench.former = {{test::address("a/interface/p1"), "mtu", Layer::running, 1500}};
  bench.answers["ask"] = {"rolled-back"};
  const std::string right = "interface/p1 mtu 0 1500", wrong = "interface/p1 mtu 0 9000";
  const auto roll_back = [&bench](std::deque<std::string> found) {
    bench.answers["look"] = std::move(found);
    return bench.run(std::make_unique<ScriptedRun>(ending(ActionState::failed, "no")));
  };
  SECTION("at once") {
    const ActionResult result = roll_back({right});
    CHECK(result.rollback == Rollback::verified);
    CHECK(bench.words == after_arming({"change", "fire", "ask", "look", "clear"}));
  }
  SECTION("after a moment, over a connection that has to be made again") {
    CHECK(roll_back({wrong, "", wrong, right}).rollback == Rollback::verified);
  }
  SECTION("never") {
    const ActionResult result = roll_back({wrong});
    CHECK(result.state == ActionState::failed);
    CHECK(result.rollback == Rollback::failed);
    CHECK(
        result.detail.ends_with("files as they were; but the running state differs: a/interface/p1 "
                                "mtu (running): expected 1500, found 9000"));
    CHECK(bench.words.back() == "clear");
  }
  SECTION("nobody knows") {
    const ActionResult result = roll_back({""});
    CHECK(result.rollback == Rollback::failed);
    CHECK(result.detail.find("can't be read back: no route") != std::string::npos);
  }
}

TEST_CASE("a node that was cut off comes back by its own timer", "[execute]") {
  Bench bench;
  bench.answers["disarm"] = {""};
  bench.answers["ask"] = {"", "", "rolled-back"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::failed);
  CHECK(result.code == ErrorCode::timed_out);
  CHECK(result.rollback == Rollback::verified);
  CHECK(bench.now.time_since_epoch() > kGuard);
}

TEST_CASE("a node that stays away after its timer needs a human", "[execute]") {
  Bench bench;
  bench.answers["disarm"] = {""};
  bench.answers["ask"] = {""};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::unknown);
  CHECK(result.rollback == Rollback::failed);
  CHECK(result.detail.find("can't be reached: no route") != std::string::npos);
}

TEST_CASE("a rollback that failed on the node needs a human", "[execute]") {
  Bench bench;
  bench.answers["ask"] = {"rollback-failed"};
  const ActionResult result =
      bench.run(std::make_unique<ScriptedRun>(ending(ActionState::unknown, "lost")));
  CHECK(result.rollback == Rollback::failed);
  CHECK(result.detail.find("failed in part") != std::string::npos);
}

TEST_CASE("a rollback whose command failed has succeeded where all is as before", "[execute]") {
  const ResourceAddress p1 = test::address("a/interface/p1");
  Bench bench{{test::ResourceBuilder{"a/interface/p1"}.wants("mtu", 9000)}};
  bench.former = {{p1, "mtu", Layer::running, 1500}};
  bench.former_files = {{p1, "mtu", Layer::persistent, Value{}}};
  bench.answers["ask"] = {"rollback-failed"};
  const std::string runs = "interface/p1 mtu 0 1500", other = "interface/p1 mtu 0 9000";
  const auto roll_back = [&bench](const std::string& found) {
    bench.answers["look"] = {found};
    return bench.run(std::make_unique<ScriptedRun>(ending(ActionState::unknown, "no")));
  };
  SECTION("running and in its files") {
    const ActionResult result = roll_back(runs);
    CHECK(result.state == ActionState::failed);
    CHECK(result.rollback == Rollback::verified);
    CHECK(
        result.detail.ends_with("; a command of the rollback failed there, and all is as before"));
    CHECK(bench.words == after_arming({"change", "fire", "ask", "look", "clear"}));
  }
  SECTION("not what runs") {
    const ActionResult result = roll_back(other);
    CHECK(result.state == ActionState::unknown);
    CHECK(result.rollback == Rollback::failed);
    CHECK(result.detail.find("failed in part; but the present state differs") != std::string::npos);
    CHECK(bench.words.back() == "look");
  }
  SECTION("not what its files say") {
    CHECK(roll_back(runs + "\ninterface/p1 mtu 2 9000").rollback == Rollback::failed);
  }
  SECTION("nobody knows") {
    CHECK(roll_back("").rollback == Rollback::failed);
  }
}

TEST_CASE("a timer that was faster than the confirmation wins", "[execute]") {
  Bench bench;
  bench.answers["disarm"] = {"firing"};
  bench.answers["ask"] = {"rolled-back"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.rollback == Rollback::verified);
  CHECK(bench.words == after_arming({"change", "disarm", "ask", "clear"}));
}
