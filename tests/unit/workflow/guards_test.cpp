// SPDX-License-Identifier: Apache-2.0
// Who is down and who may not be disturbed: --limit, offline nodes, the machine that fabric runs
// on.
#include <algorithm>

#include "plans/plan_file.hpp"

#include "tests/unit/workflow/lab_ring.hpp"

namespace fabric::workflow::test {

namespace {

std::set<std::string> rebooted(const plans::Plan& plan) {
  std::set<std::string> nodes;
  for (const plans::Action& action : plan.actions) {
    if (action.draft.kind == "reboot") nodes.insert(action.node.str());
  }
  return nodes;
}

std::string held(const plans::Plan& plan, const std::string& node) {
  return plan.nodes.at(named(node)).withheld.why;
}

lab::LabSpec with_dead(const std::string& node) {
  lab::LabSpec reality;
  reality.hosts[node].fault = lab::Fault::refused;
  return reality;
}

using Names = std::set<std::string>;
constexpr const char* kOwnMachine = "0123456789abcdef0123456789abcdef";

}  // namespace

TEST_CASE("a limit does not make the guards forget a dead node outside of it", "[workflow]") {
  LabRing ring{4, with_dead("pve1")};
  const Wanted limited = wanted_by(ring_text(4), {"pve[2-4]", {}, {}});
  const Planned planned = ring.plan(limited);
  CHECK(rebooted(planned.plan).empty());
  CHECK(
      held(planned.plan, "pve2") ==
      "its neighbour pve1 in ring storage is not reachable, and the ring must not be cut further");
  CHECK(
      planned.plan.nodes.at(named("pve2")).withheld.release.find("--offline pve1") !=
      std::string::npos);
  CHECK(held(planned.plan, "pve3").find("max_unavailable") != std::string::npos);
  CHECK_FALSE(held(planned.plan, "pve4").empty());
  CHECK(planned.plan.nodes.at(named("pve1")).outside);
  CHECK(exit_code_of(planned) == ExitCode::unreachable);
  CHECK(ring.apply(limited, planned.plan) == ExitCode::unreachable);
  CHECK(ring.lab.monitor().reboots == 0);
}

TEST_CASE("who is outside of a limit is asked who it is and nothing else", "[workflow]") {
  LabRing ring{4};
  const Wanted limited = wanted_by(ring_text(4), {"pve2", {}, {}});
  Heard heard;
  const std::vector<NodeFacts> facts =
      discover(limited.desired(), {}, heard, ring.runner, ring.random);
  REQUIRE(facts.size() == 4);
  for (const NodeFacts& node : facts)
    CHECK((node.probes.size() == 1) == (node.node != named("pve2")));
  const Planned planned = make_plan(limited.desired(), facts, {});
  CHECK(rebooted(planned.plan) == Names{"pve2"});
  CHECK(planned.plan.nodes.size() == 1);
  CHECK(ring.apply(limited, planned.plan) == ExitCode::done);
  CHECK(ring.our_files("pve1").empty());
  CHECK(ring.heard.proven);
  CHECK(ring.heard.paths == 0);
  // Nobody heard of them at all: they count as down.
  std::vector<NodeFacts> alone = facts;
  std::erase_if(alone, [](const NodeFacts& node) { return node.node != named("pve2"); });
  CHECK(rebooted(make_plan(limited.desired(), alone, {}).plan).empty());
}

TEST_CASE("with a node offline all others go on, and nobody contacts it", "[workflow]") {
  LabRing ring{4, with_dead("pve1")};
  const Wanted offline = wanted_by(ring_text(4), {{}, "pve1", {}});
  CHECK(offline.nodes.size() == 3);
  const Planned planned = ring.plan(offline);
  CHECK(rebooted(planned.plan) == Names{"pve2", "pve3", "pve4"});
  CHECK(planned.plan.waves.size() == 3);
  CHECK(exit_code_of(planned) == ExitCode::done);
  CHECK(ring.apply(offline, planned.plan) == ExitCode::done);
  CHECK(ring.heard.proven);
  CHECK(ring.heard.paths > 0);
  CHECK(ring.heard.problems.empty());
  // It is back.
  REQUIRE(ring.lab.set_fault(named("pve1"), lab::Fault::none));
  CHECK(ring.apply() == ExitCode::done);
  CHECK(ring.plan().plan.empty());
}

TEST_CASE("of a ring that carries traffic past an offline node only the ends boot", "[workflow]") {
  LabRing ring{4};
  REQUIRE(ring.apply() == ExitCode::done);
  REQUIRE(ring.lab.set_fault(named("pve1"), lab::Fault::refused));
  // Something else that only a boot brings about.
  const std::string text = ring_text(4, true, ", modules: {mlx5_core: {prof_sel: \"1\"}}");
  const NodeChoice choice{{}, {}, {"pve1", "of-another-cluster"}};
  const Wanted offline = wanted_by(text, choice);
  const plans::Plan plan = ring.plan(offline).plan;
  CHECK(rebooted(plan) == Names{"pve2", "pve4"});
  CHECK(
      held(plan, "pve3") ==
      "ring storage is cut at pve1, and pve2 and pve4 reach each other only through pve3");
  CHECK(
      plan.nodes.at(named("pve3")).withheld.release ==
      "bring pve1 back, or cable the ring past it");
  CHECK(plan.waves.size() == 2);
  CHECK(ring.apply(offline, plan) == ExitCode::partly_applied);
  CHECK(ring.heard.proven);
  REQUIRE(ring.lab.set_fault(named("pve1"), lab::Fault::none));
  const Wanted all = wanted_by(text);
  CHECK(ring.apply(all, ring.plan(all).plan) == ExitCode::done);
}

TEST_CASE("an interface that is down is no proof that its card forwards nothing", "[workflow]") {
  LabRing ring{4};
  REQUIRE(ring.apply() == ExitCode::done);
  REQUIRE(ring.lab.set_fault(named("pve1"), lab::Fault::refused));
  ring.lab.change(named("pve3"), "ip link set enp1s0f0np0 down; ip link set enp1s0f1np1 down", "");
  const std::string text = ring_text(4, true, ", modules: {mlx5_core: {prof_sel: \"1\"}}");
  const plans::Plan plan = ring.plan(wanted_by(text, {{}, {}, {"pve1"}})).plan;
  CHECK(rebooted(plan) == Names{"pve2", "pve4"});
  CHECK_FALSE(held(plan, "pve3").empty());
}

TEST_CASE("a node that is lost is no dead end", "[workflow]") {
  lab::LabSpec reality;
  reality.hosts["pve1"].fault = lab::Fault::no_boot;
  LabRing ring{4, reality};
  CHECK(ring.apply() == ExitCode::node_lost);
  const Wanted without = wanted_by(ring_text(4), {{}, "pve1", {}});
  CHECK(ring.apply(without, ring.plan(without).plan) == ExitCode::done);
  REQUIRE(ring.lab.set_fault(named("pve1"), lab::Fault::none));
  constexpr Duration kBooted{20'000};
  ring.runner.start({0, named("pve2"), remote::step::Pause{kBooted}});
  while (!ring.runner.wait_any(kBooted)) {
  }
  CHECK(ring.apply() == ExitCode::done);
  CHECK(ring.plan().plan.empty());
}

TEST_CASE("the machine that fabric runs on is staged last, and reboots by hand", "[workflow]") {
  lab::LabSpec reality;
  reality.hosts["pve1"].files["/etc/machine-id"] = std::string{kOwnMachine} + "\n";
  LabRing ring{3, reality};
  ring.wanted.own.machine_id = kOwnMachine;
  const plans::Plan plan = ring.plan().plan;
  CHECK(plan.nodes.at(named("pve1")).own);
  CHECK(rebooted(plan) == Names{"pve2", "pve3"});
  CHECK(plan.waves.back().nodes == std::vector<NodeName>{named("pve1")});
  CHECK(plan.nodes.at(named("pve1")).withheld.release.find("`systemctl reboot` on pve1") == 0);
  CHECK(ring.apply() == ExitCode::partly_applied);
  CHECK(ring.heard.proven);
  CHECK(ring.lab.monitor().reboots_by_node.count("pve1") == 0);
  // Again there is nothing to do but to wait for its operator.
  const plans::Plan again = ring.plan().plan;
  CHECK(again.actions.empty());
  CHECK_FALSE(again.nodes.at(named("pve1")).withheld.why.empty());
  ring.lab.perform(named("pve1"), "root", lab::RebootOrder{});
  constexpr Duration kBooted{20'000};
  ring.runner.start({0, named("pve2"), remote::step::Pause{kBooted}});
  while (!ring.runner.wait_any(kBooted)) {
  }
  CHECK(ring.apply() == ExitCode::done);
  CHECK(ring.plan().plan.empty());
}

TEST_CASE(
    "a plan that was made elsewhere does not boot the machine it is applied on", "[workflow]") {
  lab::LabSpec reality;
  reality.hosts["pve1"].files["/etc/machine-id"] = std::string{kOwnMachine} + "\n";
  LabRing ring{3, reality};
  const plans::Plan elsewhere = ring.plan().plan;
  REQUIRE(rebooted(elsewhere).contains("pve1"));
  ring.wanted.own.machine_id = kOwnMachine;
  const Result<ExitCode> applied = ring.try_apply(ring.wanted, elsewhere);
  REQUIRE_FALSE(applied);
  CHECK(applied.error().code == ErrorCode::stale);
  CHECK(applied.error().message.starts_with("pve1 is the machine that fabric runs on now"));
  CHECK(ring.lab.monitor().reboots == 0);
}

TEST_CASE("a clone has the machine id of its origin, and a boot of its own", "[workflow]") {
  const platform::Identity one{"m", "b1", {}, {}, {}, {}};
  CHECK(platform::is_same_machine(one, {"m", "b1", {}, {}, {}, {}}));
  CHECK_FALSE(platform::is_same_machine(one, {"m", "b2", {}, {}, {}, {}}));
  CHECK(platform::is_same_machine(one, {"m", "", {}, {}, {}, {}}));
  CHECK_FALSE(platform::is_same_machine(one, {"n", "", {}, {}, {}, {}}));
  // A container on the node: its machine id is its own, and it goes down with the kernel.
  CHECK(platform::is_same_machine(one, {"container", "b1", {}, {}, {}, {}}));
  CHECK_FALSE(platform::is_same_machine({}, {}));
}

TEST_CASE("a plan file keeps who is offline, outside, held back and limited", "[workflow]") {
  LabRing ring{4, with_dead("pve1")};
  const Wanted some = wanted_by(ring_text(4), {"pve[2-3]", "pve4", {}});
  const plans::Plan plan = ring.plan(some).plan;
  const Result<plans::Plan> read = plans::parse_plan_file(plans::to_plan_file(plan));
  REQUIRE(read);
  CHECK(read->limit == plan.limit);
  CHECK(read->nodes.at(named("pve4")).offline);
  CHECK(read->nodes.at(named("pve1")).outside);
  CHECK(read->withheld_nodes() == plan.withheld_nodes());
  CHECK_FALSE(plan.withheld_nodes().empty());
  CHECK(plans::to_plan_file(*read) == plans::to_plan_file(plan));
}

}  // namespace fabric::workflow::test
