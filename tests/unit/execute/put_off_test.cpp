// SPDX-License-Identifier: Apache-2.0
// Nodes whose hook says "not yet", and runs that pause.
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "engine/base/random.hpp"
#include "engine/execute/journal/journal_read.hpp"
#include "engine/execute/progress.hpp"
#include "engine/provider/action_methods.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/execute/drained.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::Drained;
using fabric::test::Ids;
using fabric::test::node;

TEST_CASE("a node that is not ready goes behind the others, and its slot is filled", "[execute]") {
  Drained run{{{"a"}, {"b"}, {"c"}}};
  CHECK(run.start() == Ids{"a0"});
  run.put_off("a0");
  CHECK(run.start() == Ids{"b0"});
  run.finish({"b"});
  CHECK(run.start() == Ids{"c0"});
  run.put_off("c0");
  // In the order in which they said so.
  CHECK(run.start() == Ids{"a0"});
  run.put_off("a0");
  CHECK(run.start() == Ids{"c0"});
  run.finish({"c"});
  CHECK(run.start() == Ids{"a0"});
  run.finish({"a"});
  CHECK(run.start().empty());
  for (const ActionResult& result : run.progress->results())
    CHECK(result.state == ActionState::done);
}

TEST_CASE("the rest of a wave goes on without it, and later waves wait for that", "[execute]") {
  Drained run{{{"a", "b"}, {"c"}}};
  CHECK(run.start() == Ids{"a0", "b0"});
  run.put_off("a0");
  CHECK(run.start().empty());
  run.finish({"b"});
  CHECK(run.start() == Ids{"c0"});
  run.finish({"c"});
  CHECK(run.start() == Ids{"a0"});
}

TEST_CASE("what needs a node that is put off comes after it", "[execute]") {
  Drained run{{{"a"}, {"b"}, {"c"}}};
  plans::Plan plan = run.plan;
  for (plans::Action& action : plan.actions)
    if (action.id == "b0") action.needs = {"a1"};
  run.plan = plan;
  run.progress = std::make_unique<Progress>(run.plan, ProgressLimits{});
  CHECK(run.start() == Ids{"a0"});
  run.put_off("a0");
  CHECK(run.start() == Ids{"c0"});
  run.finish({"c"});
  CHECK(run.start() == Ids{"a0"});
  run.finish({"a"});
  CHECK(run.start() == Ids{"b0"});
}

// As the planner keeps neighbours of a ring apart: a mutex, and the later one needs the former.
Drained ring_of_three() {
  Drained run{{{"a"}, {"b"}, {"c"}}};
  for (plans::Action& action : run.plan.actions) {
    const std::string name = action.node.str();
    if (action.draft.disruption == Disruption::reboot) {
      for (const char* other : {"a", "b", "c"})
        if (name != other)
          action.mutex.push_back(
              "ring:" + std::min(name, std::string{other}) + std::max(name, std::string{other}));
    }
    if (action.draft.kind == methods::kHookAfter) continue;
    for (const char* other : {"a", "b", "c"})
      if (other < name) action.needs.push_back(std::string{other} + "1");
  }
  run.progress = std::make_unique<Progress>(run.plan, ProgressLimits{});
  return run;
}

TEST_CASE("who is only kept apart from a node that is put off goes first", "[execute]") {
  Drained run = ring_of_three();
  CHECK(run.start() == Ids{"a0"});
  run.put_off("a0");
  CHECK(run.start() == Ids{"b0"});
  SECTION("and it comes after them") {
    run.finish({"b"});
    CHECK(run.start() == Ids{"c0"});
    run.put_off("c0");
    CHECK(run.start() == Ids{"a0"});
    run.put_off("a0");
    CHECK(run.start() == Ids{"c0"});
    run.finish({"c"});
    CHECK(run.start() == Ids{"a0"});
    run.finish({"a"});
    for (const ActionResult& result : run.progress->results())
      CHECK(result.state == ActionState::done);
  }
  SECTION("and it is left alone if one of them fails") {
    run.end("b0");
    CHECK(run.start() == Ids{"b1"});
    run.end("b1", ActionState::failed);
    CHECK(run.start() == Ids{"b2"});
    run.end("b2");
    CHECK(run.start() == Ids{"a2"});
    run.end("a2");
    CHECK(run.start().empty());
    CHECK(run.progress->results().front().state == ActionState::skipped);
  }
}

TEST_CASE("nobody goes before a canary that is not ready", "[execute]") {
  Drained run{{{"a"}, {"b"}}, {.canaries = {node("a")}}};
  CHECK(run.start() == Ids{"a0"});
  run.put_off("a0");
  CHECK(run.start() == Ids{"a0"});
  run.finish({"a"});
  CHECK(run.start() == Ids{"b0"});
}

TEST_CASE("what was put off is ended when the run stops", "[execute]") {
  Drained run{{{"a"}, {"b"}}};
  CHECK(run.start() == Ids{"a0"});
  run.put_off("a0");
  CHECK(run.start() == Ids{"b0"});
  run.progress->stop("interrupted");
  // Its drain has begun.
  CHECK(run.start() == Ids{"a2"});
  run.end("a2");
  run.end("b0", ActionState::failed);
  CHECK(run.start() == Ids{"b2"});
}

TEST_CASE("whatever is put off, everything ends and no two waves run at once", "[execute]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    Random random{seed};
    std::vector<Ids> waves;
    std::map<std::string, std::size_t> wave_of;
    const std::uint64_t count = 1 + random.below(5);
    for (std::uint64_t wave = 0; wave < count; ++wave) {
      Ids names;
      for (std::uint64_t n = 0; n <= random.below(3); ++n) {
        names.push_back(fmt::format("w{}n{}", wave, n));
        wave_of[names.back()] = wave;
      }
      waves.push_back(names);
    }
    Drained run{waves};
    std::set<std::string> running;
    std::size_t put_off = 0;
    for (;;) {
      for (const std::string& id : run.start())
        running.insert(id);
      if (running.empty()) break;
      std::set<std::size_t> at_work;
      for (const std::string& id : running)
        at_work.insert(wave_of.at(id.substr(0, id.size() - 1)));
      CHECK(at_work.size() == 1);
      auto next = running.begin();
      std::advance(next, static_cast<std::ptrdiff_t>(random.below(running.size())));
      const std::string id = *next;
      running.erase(next);
      if (id.ends_with('0') && put_off < 20 && random.below(2) == 0) {
        ++put_off;
        run.put_off(id);
      } else {
        run.end(id);
      }
    }
    const std::vector<ActionResult> results = run.progress->results();
    CHECK(std::all_of(results.begin(), results.end(), [](const ActionResult& result) {
      return result.state == ActionState::done;
    }));
  }
}

TEST_CASE("a run pauses after each wave of which it has done something", "[execute]") {
  Drained run{{{"a"}, {"b"}, {"c"}}, {.pause_after = PauseAfter::wave}};
  CHECK(run.start() == Ids{"a0"});
  SECTION("and begins nothing more") {
    run.finish({"a"});
    CHECK(run.start().empty());
    CHECK(run.progress->paused());
    CHECK(
        run.progress->results().back().detail ==
        "the run paused before wave 2 (--pause-after wave)");
  }
  SECTION("not for what it finds done, though hooks are run for it") {
    run.end("a0");
    CHECK(run.start() == Ids{"a1"});
    run.end("a1", ActionState::already_satisfied);
    CHECK(run.start() == Ids{"a2"});
    run.end("a2");
    CHECK(run.start() == Ids{"b0"});
    run.finish({"b"});
    CHECK(run.start().empty());
    CHECK(run.progress->paused());
  }
}

TEST_CASE("a run pauses when the canaries are done", "[execute]") {
  Drained run{
      {{"a"}, {"b"}, {"c"}},
      {.canaries = {node("a"), node("b")}, .pause_after = PauseAfter::canary}};
  CHECK(run.start() == Ids{"a0"});
  run.finish({"a"});
  CHECK(run.start() == Ids{"b0"});
  run.finish({"b"});
  CHECK(run.start().empty());
  CHECK(run.progress->paused());
}

TEST_CASE("a run that is resumed knows who is done and who was put off", "[execute]") {
  const Drained run{{{"a"}, {"b"}, {"c"}}};
  RunRecord record;
  record.run = "r1";
  for (const char* id : {"a0", "a1", "a2", "c0"}) {
    RecordedAction action;
    action.id = id;
    action.ended = true;
    action.state = ActionState::done;
    record.actions.push_back(action);
  }
  RecordedAction waiting;
  waiting.id = "b0";
  waiting.put_off = Duration{7'000};
  record.actions.push_back(waiting);
  const FormerRun former = former_run(record, run.plan);
  CHECK(former.run == "r1");
  CHECK(former.done == std::set<NodeName>{node("a")});
  CHECK(former.put_off == std::map<NodeName, Duration>{{node("b"), Duration{7'000}}});
  // It is a file: what the nodes show decides.
  FormerRun shown = former;
  confirm(shown, {node("a"), node("b")}, {});
  CHECK(shown.done == std::set<NodeName>{node("a")});
  CHECK(shown.known.empty());
  confirm(shown, {node("a")}, {node("a"), node("b")});
  CHECK(shown.known == std::set<NodeName>{node("a")});
  FormerRun forged = former;
  confirm(forged, {node("b")}, {node("a")});
  CHECK(forged.done.empty());
  CHECK(forged.known.empty());

  Drained again{{{"a"}, {"b"}, {"c"}}};
  again.progress->put_off(node("b"));
  CHECK(again.start() == Ids{"a0"});
  again.finish({"a"});
  CHECK(again.start() == Ids{"c0"});
}
