// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/progress.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/base/random.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::node;

namespace {

using Ids = std::vector<std::string>;

plans::Action& add(plans::Plan& plan, const std::string& on, std::uint32_t wave, Ids needs = {}) {
  plans::Action action{
      .id = fmt::format("a{:04}", plan.actions.size() + 1), .node = node(on), .wave = wave};
  action.needs = std::move(needs);
  action.draft.title = "do it on " + on;
  plan.actions.push_back(std::move(action));
  return plan.actions.back();
}

Ids start(Progress& progress) {
  Ids ids;
  for (const plans::Action* action : progress.start_ready())
    ids.push_back(action->id);
  return ids;
}

ActionResult ended(const std::string& id, ActionState state = ActionState::done) {
  ActionResult result;
  result.id = id;
  result.state = state;
  return result;
}

std::map<std::string, ActionState> states(const Progress& progress) {
  std::map<std::string, ActionState> all;
  for (const ActionResult& result : progress.results())
    all.emplace(result.id, result.state);
  return all;
}

}  // namespace

TEST_CASE("a node runs one action at a time, in the order of the plan", "[execute]") {
  plans::Plan plan;
  add(plan, "a", 0);
  add(plan, "a", 0);
  add(plan, "b", 0);
  Progress progress{plan, {}};
  CHECK(start(progress) == Ids{"a0001", "a0003"});
  CHECK(start(progress).empty());
  progress.finish(ended("a0001"));
  CHECK(start(progress) == Ids{"a0002"});
}

TEST_CASE("needs wait for success, after waits for an end", "[execute]") {
  plans::Plan plan;
  add(plan, "a", 0);
  add(plan, "b", 0, {"a0001"});
  add(plan, "c", 0).after = {"a0001"};
  Progress progress{plan, {}};
  CHECK(start(progress) == Ids{"a0001"});

  SECTION("success starts both") {
    CHECK(progress.finish(ended("a0001", ActionState::already_satisfied)).empty());
    CHECK(start(progress) == Ids{"a0002", "a0003"});
  }
  SECTION("failure skips the one, naming the cause, and starts the other") {
    const auto skipped = progress.finish(ended("a0001", ActionState::failed));
    REQUIRE(skipped.size() == 1);
    CHECK(skipped[0].id == "a0002");
    CHECK(skipped[0].cause == "a0001");
    CHECK(skipped[0].detail == "needs a0001 (do it on a), which failed");
    CHECK(start(progress) == Ids{"a0003"});
  }
}

TEST_CASE("everything behind a failure is skipped with the root as its cause", "[execute]") {
  plans::Plan plan;
  add(plan, "a", 0);
  add(plan, "b", 0, {"a0001"});
  add(plan, "c", 0, {"a0002"});
  add(plan, "d", 0).after = {"a0003"};
  Progress progress{plan, {}};
  start(progress);
  const auto skipped = progress.finish(ended("a0001", ActionState::unknown));
  REQUIRE(skipped.size() == 2);
  CHECK(skipped[1].cause == "a0001");
  CHECK(skipped[1].detail == "needs a0001 (do it on a), which may or may not have happened");
  CHECK(start(progress) == Ids{"a0004"});
}

TEST_CASE("a mutex has one holder", "[execute]") {
  plans::Plan plan;
  for (const std::string on : {"a", "b", "c"})
    add(plan, on, 0).mutex = {"ring"};
  Progress progress{plan, {}};
  CHECK(start(progress) == Ids{"a0001"});
  progress.finish(ended("a0001", ActionState::failed));
  CHECK(start(progress) == Ids{"a0002"});
  progress.finish(ended("a0002"));
  CHECK(start(progress) == Ids{"a0003"});
}

TEST_CASE("a held mutex does not keep a node from its other work", "[execute]") {
  plans::Plan plan;
  add(plan, "a", 0).mutex = {"ring"};
  add(plan, "b", 0).mutex = {"ring"};
  add(plan, "b", 0);
  Progress progress{plan, {}};
  CHECK(start(progress) == Ids{"a0001", "a0003"});
  progress.finish(ended("a0001"));
  CHECK(start(progress).empty());
  progress.finish(ended("a0003"));
  CHECK(start(progress) == Ids{"a0002"});
}

TEST_CASE("a wave begins when the one before has ended", "[execute]") {
  plans::Plan plan;
  add(plan, "a", 0);
  add(plan, "b", 1);
  add(plan, "c", 1);
  add(plan, "d", 2);
  Progress progress{plan, {}};
  CHECK(start(progress) == Ids{"a0001"});
  progress.finish(ended("a0001"));
  CHECK(start(progress) == Ids{"a0002", "a0003"});
  progress.finish(ended("a0003"));
  CHECK(start(progress).empty());
  progress.finish(ended("a0002"));
  CHECK(start(progress) == Ids{"a0004"});
}

TEST_CASE("failed nodes, not actions, stop later waves; siblings finish", "[execute]") {
  plans::Plan plan;
  add(plan, "a", 1);
  add(plan, "a", 1);
  add(plan, "b", 1);
  add(plan, "c", 2);
  const auto run = [&](std::uint32_t max_failures) {
    Progress progress{plan, {64, max_failures}};
    for (Ids ids = start(progress); !ids.empty(); ids = start(progress)) {
      for (const std::string& id : ids) {
        progress.finish(ended(id, id <= "a0002" ? ActionState::failed : ActionState::done));
      }
    }
    return progress.results();
  };
  const auto stopped = run(0);
  CHECK(stopped[2].state == ActionState::done);
  CHECK(stopped[3].state == ActionState::not_started);
  CHECK(stopped[3].detail == "wave 2 was not begun: a failed (max_failures is 0)");
  CHECK(run(1)[3].state == ActionState::done);
}

TEST_CASE("what a failure means for the others is the operator's choice", "[execute]") {
  plans::Plan plan;
  add(plan, "a", 1);
  add(plan, "b", 1);
  add(plan, "c", 2);
  add(plan, "d", 2, {"a0001"});
  const auto run = [&](OnError on_error) {
    Progress progress{plan, {.at_once = 1, .on_error = on_error}};
    for (Ids ids = start(progress); !ids.empty(); ids = start(progress))
      progress.finish(ended(ids[0], ids[0] == "a0001" ? ActionState::failed : ActionState::done));
    std::vector<ActionState> all;
    for (const ActionResult& result : progress.results())
      all.push_back(result.state);
    return all;
  };
  using enum ActionState;
  using States = std::vector<ActionState>;
  CHECK(run(OnError::stop_wave) == States{failed, done, not_started, skipped});
  CHECK(run(OnError::stop) == States{failed, not_started, not_started, skipped});
  CHECK(run(OnError::go_on) == States{failed, done, done, skipped});
}

TEST_CASE("after a stop nothing begins and what runs may end", "[execute]") {
  plans::Plan plan;
  add(plan, "a", 0);
  add(plan, "a", 0);
  Progress progress{plan, {}};
  start(progress);
  progress.stop("interrupted");
  CHECK(progress.running());
  progress.finish(ended("a0001"));
  CHECK(start(progress).empty());
  CHECK_FALSE(progress.running());
  CHECK(progress.results()[1].detail == "interrupted");
}

TEST_CASE("no more than the limit run at the same time", "[execute]") {
  plans::Plan plan;
  for (int i = 0; i < 5; ++i)
    add(plan, fmt::format("n{}", i), 0);
  Progress progress{plan, {2, 0}};
  CHECK(start(progress) == Ids{"a0001", "a0002"});
  progress.finish(ended("a0002"));
  CHECK(start(progress) == Ids{"a0003"});
}

namespace {

struct RandomRun {
  plans::Plan plan;
  Random random;
  std::map<std::string, const plans::Action*> running;
  std::map<std::string, ActionState> over;

  explicit RandomRun(std::uint64_t seed) : random{seed} {
    const std::size_t nodes = 1 + random.below(6);
    std::map<std::string, std::uint32_t> wave_of;
    const std::size_t count = 1 + random.below(40);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string on = fmt::format("n{}", random.below(nodes));
      plans::Action& action = add(plan, on, static_cast<std::uint32_t>(random.below(3)));
      for (std::size_t before = 0; before < i; ++before) {
        if (plan.actions[before].wave > action.wave || !random.chance(8)) continue;
        (random.chance(70) ? action.needs : action.after).push_back(plan.actions[before].id);
      }
      for (const std::string mutex : {"m1", "m2"}) {
        if (random.chance(25)) action.mutex.push_back(mutex);
      }
    }
  }

  void check_start(const plans::Action& action) {
    for (const std::string& id : action.needs) {
      CHECK((over.contains(id) && (over[id] == ActionState::done)));
    }
    for (const std::string& id : action.after)
      CHECK(over.contains(id));
    for (const auto& [id, other] : running) {
      CHECK(other->node != action.node);
      for (const std::string& mutex : action.mutex) {
        CHECK(std::count(other->mutex.begin(), other->mutex.end(), mutex) == 0);
      }
    }
    for (const plans::Action& other : plan.actions) {
      if (other.wave < action.wave) CHECK(over.contains(other.id));
    }
  }

  // Every action ends exactly once, in whatever order answers come.
  void go() {
    Progress progress{plan, {3, 100}};
    for (;;) {
      for (const plans::Action* action : progress.start_ready()) {
        check_start(*action);
        running.emplace(action->id, action);
      }
      CHECK(running.size() <= 3);
      if (running.empty()) break;
      auto some = running.begin();
      std::advance(some, static_cast<std::ptrdiff_t>(random.below(running.size())));
      const ActionResult result =
          ended(some->first, random.chance(15) ? ActionState::failed : ActionState::done);
      running.erase(some);
      over.emplace(result.id, result.state);
      for (const ActionResult& skipped : progress.finish(result))
        CHECK(over.emplace(skipped.id, skipped.state).second);
    }
    CHECK(over == states(progress));
    CHECK(over.size() == plan.actions.size());
  }
};

}  // namespace

TEST_CASE("random plans run to their end within every limit", "[execute]") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    INFO("seed " << seed);
    RandomRun{seed}.go();
  }
}

// How fast is measured by tests/benchmark/schedule.cpp.
TEST_CASE("10,000 actions on 1,000 nodes are scheduled, each once", "[execute]") {
  plans::Plan plan;
  for (int n = 0; n < 1'000; ++n) {
    for (int i = 0; i < 9; ++i)
      add(plan, fmt::format("n{}", n), 0).mutex = {i % 2 == 0 ? "even" : "odd"};
    Ids needs;
    for (std::size_t i = plan.actions.size() - 9; i < plan.actions.size(); ++i)
      needs.push_back(plan.actions[i].id);
    add(plan, fmt::format("n{}", n), 1, needs);
  }
  Progress progress{plan, {64, 0}};
  std::size_t count = 0;
  for (Ids ids = start(progress); !ids.empty(); ids = start(progress)) {
    for (const std::string& id : ids)
      progress.finish(ended(id));
    count += ids.size();
  }
  CHECK(count == 10'000);
}

TEST_CASE("a lost node counts as down: fewer others are disturbed at once", "[execute]") {
  plans::Plan plan;
  for (const std::string on : {"a", "b", "c", "d", "e"})
    add(plan, on, on < "c" ? 1 : 2).draft.disruption = Disruption::reboot;
  add(plan, "f", 2);
  for (const std::string on : {"a", "b", "c", "d", "e", "f"})
    plan.nodes[node(on)].reachable = true;
  Progress progress{plan, {.max_failures = 1, .max_unavailable = 2}};
  CHECK(start(progress) == Ids{"a0001", "a0002"});
  progress.lose(node("a"));
  progress.finish(ended("a0001", ActionState::unknown));
  progress.finish(ended("a0002"));

  SECTION("one at a time where two were allowed; what disturbs nobody is not counted") {
    CHECK(start(progress) == Ids{"a0003", "a0006"});
    progress.finish(ended("a0006"));
    CHECK(start(progress).empty());
    progress.finish(ended("a0003"));
    CHECK(start(progress) == Ids{"a0004"});
  }
  SECTION("none where one more was lost, and the reason is said") {
    progress.lose(node("b"));
    CHECK(start(progress) == Ids{"a0006"});
    progress.finish(ended("a0006"));
    CHECK(start(progress).empty());
    CHECK(progress.results()[2].detail == "a is down, and max_unavailable is 2");
  }
}
