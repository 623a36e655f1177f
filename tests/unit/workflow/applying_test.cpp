// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/applying.hpp"

#include <algorithm>

#include "tests/unit/workflow/lab_ring.hpp"

namespace fabric::workflow::test {

namespace {

bool mentions(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(), [&part](const std::string& text) {
    return text.find(part) != std::string::npos;
  });
}

// A reality in which the run has the lock of the node.
lab::LabSpec locked(const std::string& node, const std::string& run) {
  lab::LabSpec reality;
  reality.hosts[node].files[kLock] = lock_of(run);
  return reality;
}

// What a run that was cut short left on a node: its rollback timer in this state.
std::string timer(const std::string& state) {
  return "/var/lib/fabric/guard/00000000000000ab/" + state;
}

lab::LabSpec with_timer(const std::string& node, const std::string& state) {
  lab::LabSpec reality;
  reality.hosts[node].files[timer(state)] = "action a0007 of " + node + "\n";
  return reality;
}

}  // namespace

TEST_CASE("an apply is journaled, gives up its locks, and is proven", "[workflow]") {
  LabRing ring;
  CHECK(ring.apply() == ExitCode::done);
  CHECK(ring.host.begun == std::vector<std::string>{"run-1"});
  CHECK(ring.host.journal.find("run-1") != std::string::npos);
  REQUIRE(ring.heard.result);
  CHECK(ring.heard.result->all_done());
  CHECK(ring.heard.proven);
  CHECK(ring.heard.paths > 0);
  CHECK(mentions(ring.heard.notes, "checked again: nothing is left to do"));
  CHECK(ring.heard.problems.empty());
  for (const char* node : {"pve1", "pve2", "pve3"})
    CHECK_FALSE(ring.is_locked(node));
  CHECK(ring.heard.phases.front() == "cleaning up after ended runs");
}

TEST_CASE("a plan without actions begins no run, and is proven all the same", "[workflow]") {
  LabRing ring;
  REQUIRE(ring.apply() == ExitCode::done);
  ring.heard = {};
  CHECK(ring.apply() == ExitCode::done);
  CHECK(ring.host.begun.size() == 1);
  CHECK_FALSE(ring.heard.result);
  CHECK(ring.heard.paths > 0);
}

TEST_CASE("the lock of an ended run goes on a node with nothing to do", "[workflow]") {
  LabRing ring{3, locked("pve2", "ended-7")};
  // Nothing is wanted, so no node has anything to do.
  const Planned planned = ring.plan(ring.without_network);
  REQUIRE(planned.plan.actions.empty());
  REQUIRE(ring.is_locked("pve2"));
  CHECK(ring.apply(ring.without_network, planned.plan) == ExitCode::done);
  CHECK_FALSE(ring.is_locked("pve2"));
  CHECK(mentions(ring.heard.notes, "pve2: released the lock of a run that was cut short"));
}

TEST_CASE("nothing begins where another run has the lock", "[workflow]") {
  LabRing ring{3, locked("pve2", "somebody-else")};
  const Result<ExitCode> applied = ring.try_apply(ring.wanted, ring.plan().plan);
  REQUIRE_FALSE(applied);
  CHECK(applied.error().code == ErrorCode::locked);
  CHECK_FALSE(ring.heard.result);
  for (const char* node : {"pve1", "pve3"}) {
    CHECK_FALSE(ring.is_locked(node));
    CHECK(ring.our_files(node).empty());
  }
}

TEST_CASE(
    "the rollback timer of an ended run is disarmed before its node is written", "[workflow]") {
  LabRing ring{3, with_timer("pve2", "armed")};
  CHECK(ring.apply() == ExitCode::done);
  CHECK_FALSE(ring.lab.read_file(named("pve2"), timer("armed")));
  CHECK(mentions(
      ring.heard.notes,
      "pve2: the rollback timer that a run left when it was cut short is disarmed"));
}

TEST_CASE("nothing begins where a node rolls back what an ended run left", "[workflow]") {
  LabRing ring{3, with_timer("pve2", "firing")};
  const Result<ExitCode> applied = ring.try_apply(ring.wanted, ring.plan().plan);
  REQUIRE_FALSE(applied);
  CHECK(applied.error().code == ErrorCode::stale);
  CHECK(ring.lab.read_file(named("pve2"), timer("firing")));
  for (const char* node : {"pve1", "pve2", "pve3"}) {
    CHECK_FALSE(ring.is_locked(node));
    CHECK(ring.our_files(node).empty());
  }
}

TEST_CASE("nothing begins where a node is not as it was when the plan was made", "[workflow]") {
  LabRing ring;
  plans::Plan of_another = ring.plan().plan;
  of_another.nodes.at(named("pve1")).machine_id = "another";
  const Result<ExitCode> applied = ring.try_apply(ring.wanted, of_another);
  REQUIRE_FALSE(applied);
  CHECK(applied.error().code == ErrorCode::stale);
  CHECK_FALSE(ring.is_locked("pve1"));
  CHECK(ring.our_files("pve1").empty());
}

TEST_CASE("nothing begins where a file that is to be copied has changed", "[workflow]") {
  LabRing ring;
  ring.host.copies_differ = true;
  const Result<ExitCode> applied = ring.try_apply(ring.wanted, ring.plan().plan);
  REQUIRE_FALSE(applied);
  CHECK(applied.error().code == ErrorCode::stale);
  CHECK(ring.host.begun.empty());
}

TEST_CASE(
    "a node that died since the plan was made stops it before the first write", "[workflow]") {
  LabRing ring{3, {}, ", sysctl: {vm.swappiness: 10}"};
  const Planned planned = ring.plan(ring.without_network);
  REQUIRE(ring.lab.set_fault(named("pve2"), lab::Fault::refused));
  const Result<ExitCode> applied = ring.try_apply(ring.without_network, planned.plan);
  REQUIRE_FALSE(applied);
  CHECK(applied.error().code == ErrorCode::unreachable);
  for (const char* part : {"pve2", "nothing was changed", "Plan again", "--skip-unreachable"})
    CHECK(applied.error().message.find(part) != std::string::npos);
  for (const char* node : {"pve1", "pve3"}) {
    CHECK_FALSE(ring.is_locked(node));
    CHECK(ring.our_files(node).empty());
  }
}

TEST_CASE("a plan goes on without a node that died since, and later with it", "[workflow]") {
  LabRing ring{3, {}, ", sysctl: {vm.swappiness: 10}"};
  const Planned planned = ring.plan(ring.without_network);
  REQUIRE(ring.lab.set_fault(named("pve2"), lab::Fault::refused));
  const Result<ExitCode> applied = ring.try_apply(ring.without_network, planned.plan, true);
  REQUIRE(applied);
  CHECK(*applied == ExitCode::unreachable);
  REQUIRE(ring.heard.result);
  CHECK(ring.heard.result->dead_nodes == std::vector<NodeName>{named("pve2")});
  REQUIRE(ring.heard.result->actions.size() == planned.plan.actions.size());
  for (std::size_t i = 0; i < planned.plan.actions.size(); ++i) {
    const execute::ActionResult& result = ring.heard.result->actions[i];
    const bool is_dead = planned.plan.actions[i].node == named("pve2");
    CHECK(result.id == planned.plan.actions[i].id);
    CHECK((result.state == execute::ActionState::skipped) == is_dead);
    CHECK((result.state == execute::ActionState::done) == !is_dead);
  }
  CHECK(mentions(ring.heard.problems, "pve2 is left out: it can't be reached"));
  CHECK(mentions(ring.heard.problems, "verify was left out"));
  CHECK(ring.heard.paths == 0);
  CHECK_FALSE(ring.our_files("pve3").empty());

  REQUIRE(ring.lab.set_fault(named("pve2"), lab::Fault::none));
  const Result<ExitCode> resumed = ring.try_apply(ring.without_network, planned.plan, true);
  REQUIRE(resumed);
  CHECK(*resumed == ExitCode::done);
  CHECK_FALSE(ring.our_files("pve2").empty());
}

TEST_CASE("a dead node counts as down for whoever is left of a plan", "[workflow]") {
  LabRing ring{4};
  SECTION("its neighbours in a ring are left out with it, and who is to follow these") {
    const Wanted two = wanted_by(ring_text(4) + "rollout: {max_unavailable: 2}\n");
    const Planned planned = ring.plan(two);
    REQUIRE(ring.lab.set_fault(named("pve2"), lab::Fault::refused));
    const Result<ExitCode> applied = ring.try_apply(two, planned.plan, true);
    REQUIRE_FALSE(applied);
    const std::string& why = applied.error().message;
    INFO(why);
    CHECK(why.find("pve[1,3] are left out: its neighbour pve2") != std::string::npos);
    // Planned to follow its neighbour: a plan that somebody approved is not put in another order.
    CHECK(why.find("pve4 is left out: it needs 'reboot pve1") != std::string::npos);
    for (const char* node : {"pve1", "pve3", "pve4"})
      CHECK(ring.our_files(node).empty());
  }
  SECTION("one at a time is one too many then") {
    const Planned planned = ring.plan();
    REQUIRE(ring.lab.set_fault(named("pve2"), lab::Fault::refused));
    const Result<ExitCode> applied = ring.try_apply(ring.wanted, planned.plan, true);
    REQUIRE_FALSE(applied);
    CHECK(applied.error().code == ErrorCode::unreachable);
    CHECK(applied.error().message.starts_with("nothing of this plan can be done now"));
    for (const char* node : {"pve1", "pve3", "pve4"})
      CHECK(ring.our_files(node).empty());
  }
}

TEST_CASE("a plan of nodes that were not all reached says at its end whom it lacks", "[workflow]") {
  LabRing ring{3, {}, ", sysctl: {vm.swappiness: 10}"};
  REQUIRE(ring.lab.set_fault(named("pve2"), lab::Fault::refused));
  const Planned planned = ring.plan(ring.without_network);
  CHECK(ring.apply(ring.without_network, planned.plan) == ExitCode::unreachable);
  CHECK(mentions(ring.heard.problems, "pve2 was not reached for the plan"));
  CHECK(mentions(ring.heard.problems, "verify was left out"));
  CHECK(ring.heard.paths == 0);
}

TEST_CASE(
    "an interrupted run finishes what is in flight, says so once, and is not proven",
    "[workflow]") {
  LabRing ring;
  const plans::Plan plan = ring.plan().plan;
  ring.host.ctrl_c = true;
  CHECK(ring.apply(ring.wanted, plan) == ExitCode::cancelled);
  CHECK(std::count_if(ring.heard.notes.begin(), ring.heard.notes.end(), [](const auto& note) {
          return note.starts_with("interrupted: ");
        }) == 1);
  CHECK(ring.heard.paths == 0);
  CHECK_FALSE(ring.is_locked("pve1"));
}

TEST_CASE(
    "a run that is killed at any line of its journal leaves nothing to the next", "[workflow]") {
  int lines = 1;
  for (bool killed = true; killed; lines += 7) {
    CAPTURE(lines);
    LabRing ring{2};
    ring.host.lines_left = lines;
    try {
      const ExitCode code = ring.apply();
      CHECK(code == ExitCode::done);
      killed = false;
    } catch (const Killed&) {
      ring.runner.forget();
    }
    ring.host.lines_left = 0;
    // Whatever boots is up again, and no rollback timer has fired.
    constexpr Duration kBooted{20'000};
    ring.runner.start({0, named("pve1"), remote::step::Pause{kBooted}});
    while (!ring.runner.wait_any(kBooted)) {
    }
    CHECK(ring.apply() == ExitCode::done);
    CHECK(ring.plan().plan.empty());
    for (const char* node : {"pve1", "pve2"}) {
      CHECK_FALSE(ring.is_locked(node));
      CHECK(ring.lab.exec(named(node), "root", "ls /var/lib/fabric/guard", "")
                .standard_output.empty());
    }
  }
  CHECK(lines > 15);
}

}  // namespace fabric::workflow::test
