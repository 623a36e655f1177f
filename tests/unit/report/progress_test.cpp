// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run/progress_json.hpp"
#include "engine/report/run/progress_text.hpp"
#include "engine/report/run/run_text.hpp"
#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/report/sample_plan.hpp"

namespace fabric::report::test {

namespace {

class SetClock final : public Clock {
 public:
  TimePoint now() const override { return TimePoint{at}; }
  std::int64_t unix_milliseconds() const override { return at.count(); }
  Duration at{0};
};

execute::ActionResult result(
    const std::string& id, execute::ActionState state, const std::string& detail = "") {
  execute::ActionResult made;
  made.id = id;
  made.state = state;
  made.detail = detail;
  return made;
}

}  // namespace

TEST_CASE("away from a terminal progress is one line per event, with the time", "[report]") {
  SetClock clock;
  std::string text;
  TextProgress progress{[&](const Text& part) { text += part.str(); }, clock, {}, Display::lines};
  const plans::Plan plan = two_nodes();
  progress.run_started(plan, "r1");
  progress.wave_started(plan.waves[0]);
  progress.action_started(plan.actions[1]);
  clock.at = Duration{2'500};
  progress.action_phase(plan.actions[1], "rebooting");
  progress.action_phase(plan.actions[1], "waiting for the node to go down");
  progress.action_phase(plan.actions[1], "waiting for the node to come back");
  clock.at = Duration{7'500};
  progress.heartbeat({"a2"});
  clock.at = Duration{32'500};
  progress.heartbeat({"a2"});
  clock.at = Duration{37'500};
  progress.heartbeat({"a2"});
  progress.action_ended(
      plan.actions[1], result("a2", execute::ActionState::failed, "same boot_id"));
  progress.run_ended({});
  CHECK(
      text ==
      "run r1: 4 actions\n"
      "0 ms  wave 1: pve1\n"
      "2.5 s  pve1  rebooting\n"
      "2.5 s  pve1  waiting for the node to come back (at most 15 min)\n"
      "32.5 s  pve1  still: waiting for the node to come back (30.0 s of at most 15 min)\n"
      "37.5 s  pve1  failed  reboot pve1: same boot_id\n");
}

TEST_CASE("what happens to many nodes at once in the same way is one line", "[report]") {
  SetClock clock;
  std::string text;
  const auto sink = [&](const Text& part) {
    text += part.str();
  };
  const auto tell = [&](Style style) {
    text.clear();
    clock.at = Duration{0};
    TextProgress progress{sink, clock, style, Display::lines};
    progress.discover_started(300);
    for (int i = 1; i <= 300; ++i) {
      const std::string node = "c" + std::to_string(i);
      progress.discover_node(
          {name(node), Error{ErrorCode::unreachable, node + ":22: refused"}, {}, {}, {}});
    }
    progress.discover_ended();
    plans::Plan plan;
    for (int i = 1; i <= 300; ++i)
      add_node(plan, "c" + std::to_string(i), 1, "10.0.0.1/16");
    progress.run_started(plan, "r1");
    for (const plans::Action& action : plan.actions) {
      progress.action_started(action);
      progress.action_phase(action, "waiting for the node to come back");
    }
    std::vector<std::string> ids;
    for (const plans::Action& action : plan.actions) {
      if (action.draft.kind == "reboot") ids.push_back(action.id);
    }
    clock.at = Duration{30'000};
    progress.heartbeat(ids);
    for (const plans::Action& action : plan.actions) {
      const bool is_good = action.draft.kind != "reboot";
      progress.action_ended(
          action,
          result(
              action.id,
              is_good ? execute::ActionState::done : execute::ActionState::failed,
              is_good ? "" : "no new boot_id"));
    }
    progress.run_ended({});
  };
  tell({});
  CHECK(
      text ==
      "reading 300 nodes\n"
      "c[1-300] (300 nodes) were not reached: c[1-300]:22: refused\n"
      "read 0 of 300 nodes in 0 ms\n"
      "run r1: 600 actions\n"
      "0 ms  c[1-300]  waiting for the node to come back (at most 15 min) (300 actions)\n"
      "30.0 s  c[1-300]  still: waiting for the node to come back (30.0 s of at most 15 min)\n"
      "30.0 s  c[1-300]  done  set HOST_CHAINING_MODE=1 on cx5 (300 actions)\n"
      "30.0 s  c[1-300]  failed  reboot c[1-300]: no new boot_id (300 actions)\n");
  tell({false, 80, true});
  CHECK(text.find("\n30.0 s  c299  failed  reboot c299: no new boot_id\n") != std::string::npos);
}

TEST_CASE("what happened is told after two seconds, whatever comes next", "[report]") {
  SetClock clock;
  std::string text;
  TextProgress progress{[&](const Text& part) { text += part.str(); }, clock, {}, Display::lines};
  const plans::Plan plan = two_nodes();
  progress.run_started(plan, "r1");
  text.clear();
  progress.action_ended(plan.actions[0], result("a1", execute::ActionState::done));
  clock.at = Duration{1'000};
  progress.tick();
  CHECK(text.empty());
  clock.at = Duration{2'000};
  progress.tick();
  CHECK(text == "0 ms  pve1  done  set HOST_CHAINING_MODE=1 on cx5\n");
}

TEST_CASE("what a hook that says \"not yet\" says is told once", "[report]") {
  SetClock clock;
  std::string text;
  TextProgress progress{[&](const Text& part) { text += part.str(); }, clock, {}, Display::lines};
  const plans::Plan plan = two_nodes();
  progress.run_started(plan, "r1");
  text.clear();
  for (const char* said : {"exit 75: 2 guests", "exit 75: 2 guests", "exit 75: 1 guest"}) {
    progress.action_put_off(plan.actions[0], said, Duration{1'000});
    clock.at += Duration{3'000};
    progress.tick();
  }
  CHECK(
      text ==
      "0 ms  pve1  not yet: exit 75: 2 guests; pve1 is tried again later\n"
      "6.0 s  pve1  not yet: exit 75: 1 guest; pve1 is tried again later\n");
}

TEST_CASE("on a terminal the display is redrawn in place and leaves failures behind", "[report]") {
  SetClock clock;
  std::string text;
  TextProgress progress{
      [&](const Text& part) { text += part.str(); }, clock, {}, Display::terminal};
  const plans::Plan plan = two_nodes();
  progress.run_started(plan, "r1");
  text.clear();
  clock.at = Duration{1'000};
  progress.action_started(plan.actions[0]);
  CHECK(
      text ==
      "\r\x1b[Japplying [........................] 0/4  1.0 s\n"
      "  pve1  set HOST_CHAINING_MODE=1 on cx5  0 ms");
  text.clear();
  progress.action_ended(plan.actions[0], result("a1", execute::ActionState::done));
  CHECK(text == "\r\x1b[A\x1b[Japplying [######..................] 1/4  1.0 s");
  text.clear();
  progress.tick();
  CHECK(text.empty());  // too soon to redraw
  progress.run_ended({});
  CHECK(text == "\r\x1b[J");
}

TEST_CASE("nodes that are not reached are told as they fail, the rest is counted", "[report]") {
  SetClock clock;
  std::string text;
  TextProgress progress{[&](const Text& part) { text += part.str(); }, clock, {}, Display::lines};
  progress.discover_started(2);
  NodeFacts good{name("pve1"), {}, {}, {}, {}};
  NodeFacts bad{name("pve2"), Error{ErrorCode::unreachable, "connection refused"}, {}, {}, {}};
  progress.discover_node(good);
  clock.at = Duration{5'000};
  progress.discover_waiting({name("pve2")});
  progress.discover_node(bad);
  progress.discover_ended();
  CHECK(
      text ==
      "reading 2 nodes\n"
      "5.0 s  still waiting for pve2\n"
      "pve2 was not reached: connection refused\n"
      "read 1 of 2 nodes in 5.0 s\n");
}

TEST_CASE("every event has the five keys", "[report]") {
  SetClock clock;
  clock.at = Duration{1'500};
  std::string text;
  const JsonEvents events{[&](const Text& part) { text += part.str(); }, clock};
  JsonProgress progress{events};
  const plans::Plan plan = two_nodes();
  progress.action_ended(
      plan.actions[1], result("a2", execute::ActionState::failed, "same boot_id"));
  CHECK(
      text ==
      R"({"@level":"error","@message":"pve1: reboot pve1: failed: same boot_id","@module":"fabric",)"
      R"("@timestamp":"1970-01-01T00:00:01.500Z","action":"a2","detail":"same boot_id","kind":"reboot",)"
      R"("node":"pve1","state":"failed","took_ms":0,"type":"apply_errored","wave":1})"
      "\n");
}

TEST_CASE("a run is summed up causes first, the next command last", "[report]") {
  const plans::Plan plan = two_nodes();
  execute::RunResult run;
  run.actions = {
      result("a1", execute::ActionState::done),
      result("a2", execute::ActionState::failed, "no new boot_id within 15 min"),
      result("a3", execute::ActionState::already_satisfied),
      result("a4", execute::ActionState::skipped)};
  run.actions[3].cause = "a2";
  run.lost_nodes = {name("pve1")};
  CHECK(
      run_summary(plan, run, "fabric apply", {}) ==
      "a2 pve1: reboot pve1: failed: no new boot_id within 15 min\n"
      "skipped because of a2: 1 action on pve2\n"
      "pve1 did not come back: an operator must look at it\n"
      "Apply: 1 done, 1 already satisfied, 1 failed, 1 skipped.\n"
      "Next: fabric apply\n");
}

TEST_CASE("what failed alike on several nodes is one line", "[report]") {
  execute::RunResult run;
  run.actions = {
      result("a1", execute::ActionState::done),
      result("a2", execute::ActionState::failed, "no answer"),
      result("a3", execute::ActionState::done),
      result("a4", execute::ActionState::failed, "no answer")};
  CHECK(
      run_summary(two_nodes(), run, "", {}) ==
      "a[2,4] pve[1-2]: reboot pve[1-2]: failed: no answer\n"
      "Apply: 2 done, 2 failed.\n");
  CHECK(
      run_summary(two_nodes(), run, "", {false, 80, true}) ==
      "a2 pve1: reboot pve1: failed: no answer\n"
      "a4 pve2: reboot pve2: failed: no answer\n"
      "Apply: 2 done, 2 failed.\n");
}

TEST_CASE("many causes of what was skipped are one line", "[report]") {
  execute::RunResult run;
  for (int i = 1; i <= 6; ++i) {
    run.actions.push_back(result("a4", execute::ActionState::skipped));
    run.actions.back().cause = "a" + std::to_string(10 + i);
  }
  CHECK(
      run_summary(two_nodes(), run, "", {})
          .str()
          .find("skipped because of a[11-16]: 6 actions on pve2\n") == 0);
}

TEST_CASE("a run that was interrupted names the nodes that it never began", "[report]") {
  execute::RunResult run;
  run.actions = {
      result("a1", execute::ActionState::done),
      result("a2", execute::ActionState::not_started),
      result("a3", execute::ActionState::not_started),
      result("a4", execute::ActionState::not_started)};
  run.cancelled = true;
  CHECK(
      run_summary(two_nodes(), run, "fabric apply", {}) ==
      "not started: 3 actions on pve[1-2]\n"
      "the run was interrupted; the actions in flight were finished\n"
      "Apply: 1 done, 3 not started.\n"
      "Next: fabric apply\n");
}

TEST_CASE("a run that set values and did not boot says what the next boot brings", "[report]") {
  plans::Plan plan = two_nodes();
  const ResourceAddress settings{name("pve1"), "settings", "cx5"};
  for (const char* attribute : {"LINK_TYPE_P1", "LINK_TYPE_P2", "NUM_OF_VFS"}) {
    plans::PlannedChange change{settings};
    change.attribute.attribute = attribute;
    change.attribute.desired = 2;
    const bool runs = change.attribute.attribute == "LINK_TYPE_P2";
    change.attribute.observed.running = Reading::of(runs ? 2 : 1);
    plan.changes.push_back(std::move(change));
  }
  plan.actions[0].draft.postconditions = {
      {settings, "LINK_TYPE_P1", Layer::next_boot, 2},
      {settings, "LINK_TYPE_P2", Layer::next_boot, 2}};
  const auto armed = [&](execute::ActionState set, execute::ActionState boot) {
    execute::RunResult run;
    run.actions = {result("a1", set), result("a2", boot)};
    const std::string said = run_summary(plan, run, "", {}).str();
    const std::size_t at = said.find("the next boot");
    return at == std::string::npos ? "" : said.substr(at, said.find('\n', at) - at);
  };
  using execute::ActionState;
  CHECK(
      armed(ActionState::done, ActionState::skipped) ==
      "the next boot of pve1 brings into force: settings/cx5 LINK_TYPE_P1");
  CHECK(!armed(ActionState::already_satisfied, ActionState::not_started).empty());
  CHECK(armed(ActionState::failed, ActionState::skipped).empty());
  CHECK(armed(ActionState::done, ActionState::done).empty());
  CHECK(armed(ActionState::done, ActionState::unknown).empty());
}

}  // namespace fabric::report::test
