// SPDX-License-Identifier: Apache-2.0
// What ends something that has begun: started though the run is stopped, and only then.
#include <fmt/format.h>

#include "engine/execute/progress.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::node;

namespace {

using Ids = std::vector<std::string>;

// On each node: a0 drains, a1 reboots, a2 is its end.
struct Drained {
  plans::Plan plan;
  std::unique_ptr<Progress> progress;

  explicit Drained(const Ids& nodes, ProgressLimits limits = {}) {
    for (const std::string& name : nodes) {
      for (int i = 0; i < 3; ++i) {
        plans::Action action{.id = name + std::to_string(i), .node = node(name), .wave = 1};
        if (i == 1) action.needs = {name + "0"};
        if (i == 1) action.draft.disruption = Disruption::reboot;
        if (i == 2) action.after = {name + "0", name + "1"};
        if (i == 2) action.closes = name + "0";
        plan.actions.push_back(action);
      }
    }
    progress = std::make_unique<Progress>(plan, limits);
  }

  Ids start() {
    Ids ids;
    for (const plans::Action* action : progress->start_ready())
      ids.push_back(action->id);
    return ids;
  }
  std::vector<ActionResult> end(
      const std::string& id, ActionState state = ActionState::done, bool began = true) {
    ActionResult result;
    result.id = id;
    result.state = state;
    result.began = began;
    return progress->finish(result);
  }
  ActionState state(const std::string& id) const {
    for (const ActionResult& result : progress->results()) {
      if (result.id == id) return result.state;
    }
    return ActionState::unknown;
  }
};

}  // namespace

TEST_CASE("a node is released when all else on it has ended", "[execute]") {
  Drained run{{"a"}};
  CHECK(run.start() == Ids{"a0"});
  run.end("a0");
  CHECK(run.start() == Ids{"a1"});
  CHECK(run.start().empty());
  run.end("a1");
  CHECK(run.start() == Ids{"a2"});
}

TEST_CASE("a disruption that fails is followed by its end", "[execute]") {
  Drained run{{"a"}};
  run.start();
  run.end("a0");
  run.start();
  CHECK(run.end("a1", ActionState::failed).empty());
  CHECK(run.start() == Ids{"a2"});
}

TEST_CASE("a drain that fails may have begun: it is ended, and nothing is disrupted", "[execute]") {
  Drained run{{"a"}};
  run.start();
  REQUIRE(run.end("a0", ActionState::failed).size() == 1);
  CHECK(run.start() == Ids{"a2"});
  run.end("a2");
  CHECK(run.state("a1") == ActionState::skipped);
}

TEST_CASE("what did not begin is not ended", "[execute]") {
  Drained run{{"a"}};
  run.start();
  SECTION("the drain could not even be noted") {
    CHECK(run.end("a0", ActionState::failed, false).size() == 2);
    CHECK(run.start().empty());
    CHECK(run.state("a2") == ActionState::skipped);
  }
  SECTION("the run was interrupted before it") {
    run.progress->stop("Ctrl-C");
    run.end("a0", ActionState::not_started);
    CHECK(run.start().empty());
    CHECK(run.state("a2") == ActionState::not_started);
  }
}

TEST_CASE("a run that is stopped ends what it has begun, on each node by itself", "[execute]") {
  Drained run{{"a", "b", "c"}, {2, 0}};
  CHECK(run.start() == Ids{"a0", "b0"});
  run.end("a0");
  CHECK(run.start() == Ids{"a1"});
  run.progress->stop("Ctrl-C");
  CHECK(run.start().empty());
  run.end("b0");
  CHECK(run.start() == Ids{"b2"});
  run.end("a1");
  CHECK(run.start() == Ids{"a2"});
  run.end("a2");
  run.end("b2");
  CHECK(run.start().empty());
  CHECK_FALSE(run.progress->running());
  CHECK(run.state("b1") == ActionState::not_started);
  CHECK(run.state("c2") == ActionState::not_started);
}

TEST_CASE("what an earlier run owes is an action like any other", "[execute]") {
  plans::Plan plan;
  plan.actions.push_back({.id = "a0001", .node = node("a")});
  Progress progress{plan, {}};
  progress.stop("Ctrl-C");
  CHECK(progress.start_ready().empty());
}
