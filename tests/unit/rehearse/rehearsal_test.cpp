// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/rehearsal.hpp"

#include "engine/discovery/reach_fabric.hpp"
#include "engine/rehearse/plan_subset.hpp"

#include "tests/unit/rehearse/ring_plan.hpp"

namespace fabric::rehearse {

TEST_CASE("the same seed tells the same result, another seed another") {
  RingPlan ring{3};
  ring.look({});
  const Copy copy = ring.copy();
  const SeedResult result = rehearse_seed(copy.scene, ring.plan, 4);
  CHECK(rehearse_seed(copy.scene, ring.plan, 4).trace == result.trace);
  CHECK(rehearse_seed(copy.scene, ring.plan, 5).trace != result.trace);
}

TEST_CASE("a rehearsal without faults is gentle, and converges with every seed") {
  RingPlan ring{3};
  ring.look({});
  const Copy copy = ring.copy();
  std::uint64_t heard = 0;
  const Rehearsal rehearsal = rehearse(
      copy.scene, ring.plan, {}, 1, 3, [&](const SeedResult& result) { heard += result.seed; });
  CHECK(heard == 1 + 2 + 3);
  CHECK(rehearsal.kept_promises());
  CHECK(rehearsal.is_gentle());
  CHECK(rehearsal.has_rings);
  CHECK(!rehearsal.has_managers);
  CHECK(rehearsal.baseline.first.exit == ExitCode::done);
  CHECK(rehearsal.baseline.service.down_at_once.size() == 1);
  REQUIRE(rehearsal.durations().size() == 3);
  CHECK(rehearsal.durations().front() <= rehearsal.durations().back());
  REQUIRE(rehearsal.worst() != nullptr);
}

TEST_CASE("with two nodes of a ring of four down at a time the plan itself cuts it") {
  RingPlan ring{4, 2};
  ring.look({});
  const Copy copy = ring.copy();
  const SeedResult baseline = rehearse_seed(copy.scene, ring.plan, 0);
  CHECK(baseline.first.exit == ExitCode::done);
  CHECK(baseline.violations.empty());
  REQUIRE(baseline.service.ring_cut);
  CHECK(baseline.service.ring_cut->apart.size() == 2);
  CHECK(baseline.service.down_at_once.size() == 2);
}

TEST_CASE("copies of a lab that has rebooted once boot anew, by the seed of the lab as well") {
  const RingPlan first{3};
  const lab::LabSpec reality;
  World world{first.scene(reality), 0};
  REQUIRE(world.round({}).exit == ExitCode::done);
  RingPlan ring{3, 1, ", firmware: {params: {SRIOV_EN: true, NUM_OF_VFS: 4}}"};
  ring.look(world);
  REQUIRE(ring.plan.impact.reboots == 3);
  const Copy copy = ring.copy();
  const SeedResult result = rehearse_seed(copy.scene, ring.plan, reality.seed);
  CHECK(result.violations == std::vector<std::string>{});
  CHECK(result.converged);
  // In each wave two hosts are left, with two addresses each.
  std::vector<reach::NetworkNow> now = discovery::observed_paths(ring.spec, ring.snapshot);
  const PathReplay played = replay_paths(copy.scene, ring.plan, now);
  CHECK(played.waves == 3);
  CHECK(played.pings == 12);
  CHECK(played.different.empty());
  // What is predicted wrongly shows.
  for (reach::Port& port : now.front().fabric.hosts.front().ports)
    port.up = false;
  const PathReplay wrong = replay_paths(copy.scene, ring.plan, now);
  REQUIRE(!wrong.different.empty());
  CHECK(!wrong.different.front().predicted);
  // So many addresses that nobody waits for their pairs: not one of them is made.
  for (reach::Host& host : now.front().fabric.hosts)
    host.ports.front().addresses.resize(100'000, host.ports.front().addresses.front());
  const PathReplay large = replay_paths(copy.scene, ring.plan, now);
  CHECK(large.waves_left_out == 3);
  CHECK(large.pings + large.waves == 0);
}

TEST_CASE("a plan without a resource has no action for it, and its order stays") {
  RingPlan ring{3};
  ring.look({});
  const plans::Action& first = ring.plan.actions.front();
  REQUIRE(first.draft.kind == "settings.set");
  const plans::Plan rest = without(ring.plan, {first.covers.front()}, {});
  CHECK(rest.find_action(first.id) == nullptr);
  for (const plans::Action& action : rest.actions) {
    for (const std::string& id : action.needs)
      CHECK(rest.find_action(id) != nullptr);
    for (const Condition& condition : action.draft.preconditions)
      CHECK(condition.address != first.covers.front());
  }
}

TEST_CASE("hooks and gates of a node go with the last of its work") {
  RingPlan ring{3};
  ring.look({});
  plans::Action gate = ring.plan.actions.back();
  gate.id = "gate";
  gate.covers.clear();
  gate.needs = {ring.plan.actions.back().id};
  ring.plan.actions.push_back(gate);
  std::set<ResourceAddress> work;
  for (const plans::Action& action : ring.plan.actions)
    if (action.node == gate.node) work.insert(action.covers.begin(), action.covers.end());
  CHECK(without(ring.plan, {*work.begin()}, {}).find_action("gate") != nullptr);
  const plans::Plan rest = without(ring.plan, work, {});
  CHECK_FALSE(rest.actions.empty());
  for (const plans::Action& action : rest.actions)
    CHECK(action.node != gate.node);
}

}  // namespace fabric::rehearse
