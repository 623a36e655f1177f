// SPDX-License-Identifier: Apache-2.0
// A rehearsal does what the program does: each step of the workflow shows in it.
#include <algorithm>

#include "engine/rehearse/seed_run.hpp"
#include "plans/plan_file.hpp"

#include "tests/unit/rehearse/ring_plan.hpp"

namespace fabric::rehearse {

namespace {

constexpr const char* kLock = "/var/lib/fabric/lock";

lab::LabSpec locked(const std::string& node) {
  lab::LabSpec reality;
  reality.hosts[node].files[kLock] =
      "run ended\nwho anna@ops2\nplace elsewhere\nprocess 12.3\ntaken 1\nexpires 99999999999\n";
  return reality;
}

// What a run that was cut short left on a node: its rollback timer in this state.
lab::LabSpec with_timer(const std::string& node, const std::string& state) {
  lab::LabSpec reality;
  reality.hosts[node].files["/var/lib/fabric/guard/00000000000000ab/" + state] =
      "action a0007 of " + node + "\n";
  return reality;
}

}  // namespace

TEST_CASE("a plan that a rule refuses for the facts of a copy is not applied there") {
  RingPlan ring{3};
  lab::LabSpec reality;
  // The firmware that drops chained frames of this MTU.
  reality.hosts["pve2"].adapters["cx5"].firmware = "16.22.1002";
  World world{ring.scene(reality), 1};
  const Round round = world.round({});
  CHECK(round.errors);
  CHECK_FALSE(world.round({}).empty);
}

TEST_CASE("what the document has forgotten goes from the copies") {
  RingPlan ring{2};
  ring.look({});
  const auto with_file = std::find_if(
      ring.plan.actions.begin(), ring.plan.actions.end(), [](const plans::Action& action) {
        return action.draft.kind.starts_with("sysctl") && !action.draft.steps.writes().empty();
      });
  REQUIRE(with_file != ring.plan.actions.end());
  const remote::step::WriteFile file = with_file->draft.steps.writes().front();
  lab::LabSpec reality;
  reality.hosts["pve1"].files[file.path] = file.content;
  ring.resources.clear();
  World world{ring.scene(reality), 1};
  const Round round = world.round({});
  CHECK_FALSE(round.empty);
  CHECK(round.exit == ExitCode::done);
  CHECK(world.round({}).empty);
  CHECK(world.violations().empty());
}

TEST_CASE("what is left over on a copy of a node that is only observed stays") {
  RingPlan ring{2};
  ring.look({});
  lab::LabSpec reality;
  for (const plans::Action& action : ring.plan.actions) {
    for (const remote::step::WriteFile& file : action.draft.steps.writes())
      reality.hosts[action.node.str()].files[file.path] = file.content;
  }
  ring.resources.clear();
  for (auto& [name, node] : ring.spec.nodes)
    node.state.value = NodeState::observe;
  World world{ring.scene(reality), 1};
  CHECK(world.round({}).empty);
}

TEST_CASE("the lock of an ended run goes from a copy with nothing to do") {
  RingPlan ring{2};
  ring.resources.clear();
  World world{ring.scene(locked("pve2")), 1};
  CHECK(world.round({}).empty);
  world.check_owed();
  CHECK(world.violations() == std::vector<std::string>{});
}

TEST_CASE("the lock of an ended run is taken over on a copy that has something to do") {
  RingPlan ring{2};
  World world{ring.scene(locked("pve2")), 1};
  const Round round = world.round({});
  CHECK(round.failure.empty());
  CHECK(round.exit == ExitCode::done);
  world.check_owed();
  CHECK(world.violations() == std::vector<std::string>{});
}

TEST_CASE("the rollback timer of an ended run is disarmed before its copy is written") {
  RingPlan ring{2};
  World world{ring.scene(with_timer("pve2", "armed")), 1};
  const Round round = world.round({});
  CHECK(round.failure.empty());
  CHECK(round.exit == ExitCode::done);
}

TEST_CASE("nothing begins on copies while one rolls back what an ended run left") {
  RingPlan ring{2};
  World world{ring.scene(with_timer("pve2", "firing")), 1};
  const Round round = world.round({});
  CHECK(round.exit == ExitCode::stale);
  CHECK(round.failure.starts_with("pve2: action a0007 of pve2 of a run that was cut short is "));
}

TEST_CASE("the manager on a copy has the port GUIDs of the members on other copies") {
  const DocumentPlan pair{
      "apiVersion: fabric/v1\nname: pair\n"
      "nodes:\n  n[1-2]: {adapters: {cx: {model: connectx-5-vpi, ports: 1}}}\n"
      "networks:\n  ib:\n    mode: infiniband\n    cables: [[n1/1, n2/1]]\n"
      "    subnet_managers: [{node: n1}]\n"
      "    partitions: {storage: {pkey: 0x8001, members: {n1: full, n2: full}}}\n"};
  lab::LabSpec reality;
  reality.hosts["n1"].done_since_boot = {"apt-get -y install opensm"};
  World world{pair.scene(reality), 1};
  const Round round = world.round({});
  CHECK_FALSE(round.errors);
  CHECK(round.failure.empty());
  CHECK(round.exit == ExitCode::done);
  CHECK(world.round({}).empty);
  CHECK(world.violations() == std::vector<std::string>{});
}

TEST_CASE("a lock that is left on a copy at the end is a violation") {
  RingPlan ring{2};
  World world{ring.scene(locked("pve2")), 1};
  world.check_owed();
  CHECK(
      world.violations() == std::vector<std::string>{"pve2 is left locked by a run that is over"});
}

TEST_CASE("a copy that is another machine than the plan's is not touched") {
  RingPlan ring{2};
  ring.look({});
  ring.plan.nodes.at(named("pve1")).machine_id = "another";
  ring.plan.digest = plans::plan_digest(ring.plan);
  World world{ring.scene(), 1};
  const Round round = world.round({}, &ring.plan);
  CHECK(round.exit == ExitCode::stale);
  REQUIRE_FALSE(world.trace().empty());
  CHECK(world.trace().back().text.starts_with("not begun: "));
}

}  // namespace fabric::rehearse
