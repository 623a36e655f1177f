// SPDX-License-Identifier: Apache-2.0
#include "engine/report/plan/plan_text.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/report/plan/plan_changes.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/report/sample_plan.hpp"

namespace fabric::report::test {

TEST_CASE("a plan reads from what changes to one summary line", "[report]") {
  CHECK(plan_text(two_nodes(), {}) == R"(pve-ring: 2 nodes, all reached

Symbols:  !~ update, needs a reboot  ~  update

pve[1-2] (2 nodes)
  ~  interface/cx5.1
       addresses  [], file absent -> [10.30.0.[1,3]/24]            fabric.yaml:9
       mtu        1500, file absent -> 9000                        fabric.yaml:8
  !~ settings/cx5
       HOST_CHAINING_MODE  unknown (no Current column), next boot 0 -> 1
                                                                   fabric.yaml:7

Order    first: pve[1-2] (settings.set); touches no traffic
         waves 1-2: pve[1-2], 1 node a wave (reboot); ring storage: neighbours
             never together
Reboots  pve[1-2] for cx5 HOST_CHAINING_MODE
Impact   2 reboots, 4 link flaps
Undo     2 of 4 actions can be rolled back
         not 2: a reboot can't be rolled back
Time     not known before the first run here; `fabric rehearse` estimates it

Plan: 0 to add, 6 to change, 0 to remove; 2 reboots in 2 waves.
)");
}

TEST_CASE("what a plan shows and does nothing about has its reason, and is counted", "[report]") {
  plans::Plan plan = two_nodes();
  plan.actions.clear();
  plan.waves.clear();
  plan.impact = {};
  plan.nodes[name("n01")].reachable = false;
  const auto waits_for = [](const ResourceAddress& address) {
    return plans::Withheld{.why = plans::Withheld::Why::waits, .on = address};
  };
  const ResourceAddress manager{name("n01"), "subnet_manager", "hca.1"};
  for (plans::PlannedChange& each : plan.changes)
    each.withheld = each.address.kind == "interface" ? waits_for(manager) : plans::Withheld{};
  plan.summary = {0, 0, 0, 5, 4};
  const std::string waits =
      "pve[1-2] are withheld: interface/cx5.1 waits for n01/subnet_manager/hca.1, and\n"
      "    n01 was not reached\n";
  const std::string text = plan_text(plan, {}).str();
  INFO(text);
  CHECK(text.find(waits) != std::string::npos);
  CHECK(text.find("pve[1-2] are withheld: only observed (state: observe)\n") != std::string::npos);
  CHECK(text.ends_with("Plan: 0 to add, 0 to change, 0 to remove, 5 unknown, 4 withheld.\n"));

  // A finding about the node says it already.
  for (plans::PlannedChange& each : plan.changes) {
    if (each.address.node == name("pve1")) each.withheld = {.why = plans::Withheld::Why::rollout};
  }
  CHECK(plan_text(plan, {}).str().find("pve2 is withheld: interface/cx5.1") != std::string::npos);

  // Of what is left out itself, why.
  plan.nodes.erase(name("n01"));
  for (plans::PlannedChange& each : plan.changes) {
    each.withheld =
        each.address.kind == "interface"
            ? waits_for({each.address.node, "settings", "cx5"})
            : plans::Withheld{.why = plans::Withheld::Why::unknown, .detail = "it is too early"};
  }
  const std::string own = plan_text(plan, {false, 200, false}).str();
  INFO(own);
  CHECK(
      own.find("pve[1-2] are withheld: interface/cx5.1 waits for settings/cx5, which is withheld: "
               "it is too early\n") != std::string::npos);
  CHECK(own.find("pve[1-2] are withheld: settings/cx5: it is too early\n") != std::string::npos);
}

TEST_CASE("no line of a plan is wider than the screen", "[report]") {
  plans::Plan plan = two_nodes();
  List many;
  for (int i = 0; i < 30; ++i)
    many.emplace_back("10.30.0." + std::to_string(i) + "/24");
  plan.changes.front().attribute.desired = many;
  const std::string text = plan_text(plan, {false, 80, true}).str();
  for (const std::string_view line : split_lines(text)) {
    CHECK(columns(line) <= 80);
  }
}

TEST_CASE("nodes that differ in more than their addresses are shown by themselves", "[report]") {
  plans::Plan plan = two_nodes();
  const auto mtu = std::find_if(plan.changes.rbegin(), plan.changes.rend(), [](const auto& each) {
    return each.attribute.attribute == "mtu";
  });
  mtu->attribute.desired = 4096;
  const std::string text = plan_text(plan, {}).str();
  CHECK(text.find("\npve1\n") != std::string::npos);
  CHECK(text.find("\npve2\n") != std::string::npos);
  CHECK(text.find("1500, file absent -> 4096") != std::string::npos);
}

TEST_CASE("with --verbose every node and every wave is shown by itself", "[report]") {
  const std::string text = plan_text(two_nodes(), {false, 80, true}).str();
  CHECK(text.find("\npve1\n") != std::string::npos);
  CHECK(text.find("\npve2\n") != std::string::npos);
  CHECK(text.find("wave 1: pve1 (reboot)") != std::string::npos);
  CHECK(text.find("wave 2: pve2 (reboot)") != std::string::npos);
}

TEST_CASE("of many equal nodes one is shown, as a node set", "[report]") {
  plans::Plan plan;
  plan.fabric = "big";
  for (int i = 10; i < 40; ++i)
    add_node(plan, "c" + std::to_string(i), 1, "10.0.0." + std::to_string(i) + "/16");
  const std::string text = plan_text(plan, {}).str();
  CHECK(text.find("c[10-39] (30 nodes)\n") != std::string::npos);
  CHECK(text.find("[], file absent -> [10.0.0.[10-39]/16]") != std::string::npos);
  CHECK(text.find("\nc11\n") == std::string::npos);
}

TEST_CASE("equal resources of a node are shown once, with the values of each", "[report]") {
  plans::Plan plan;
  plan.fabric = "dense";
  for (const std::string node : {"pve1", "pve2"}) {
    plan.nodes[name(node)] = {};
    for (int card = 1; card <= 8; ++card) {
      const std::string adapter = "hca" + std::to_string(card);
      const int host = (node == "pve1" ? 0 : 8) + card;
      plan.changes.push_back(change(
          {name(node), "interface", adapter + ".1"},
          "addresses",
          {Reading::absent(), {}, {}},
          List{"10.0.0." + std::to_string(host) + "/24"},
          static_cast<std::uint32_t>(card)));
      plan.changes.push_back(change(
          {name(node), "interface", adapter + ".1"}, "mtu", {Reading::of(1500), {}, {}}, 9000, 9));
    }
  }
  CHECK(changes_text(plan, {}).str() == R"(Symbols:  ~  update

pve[1-2] (2 nodes)
  ~  interface/hca[1-8].1 (8 resources)
       addresses  absent -> [10.0.0.[1-16]/24]          fabric.yaml:1 and 7 more
       mtu        1500 -> 9000                                     fabric.yaml:9

)");
  const std::string all = plan_text(plan, {false, 80, true}).str();
  CHECK(all.find("interface/hca8.1\n") != std::string::npos);
  // A value that some have and some have not, in no order of nodes or resources, tells nothing as a
  // set.
  for (const std::size_t at : {std::size_t{2}, std::size_t{4}, std::size_t{18}})
    plan.changes[at].attribute.desired = List{"10.9.9.9/24"};
  CHECK(changes_text(plan, {}).str().find("interface/hca3.1\n") != std::string::npos);
}

TEST_CASE("what an unreachable node lacks is not shown: a finding names it", "[report]") {
  plans::Plan plan = two_nodes();
  plan.nodes[name("pve2")].reachable = false;
  plan.nodes[name("pve2")].failure = "connection refused";
  plan.summary.unknown = 3;
  const std::string text = plan_text(plan, {}).str();
  CHECK(text.find("pve-ring: 2 nodes, 1 reached\n") == 0);
  CHECK(text.find("\npve2\n") == std::string::npos);
  CHECK(text.find("0 to remove, 3 unknown; 2 reboots") != std::string::npos);
}

TEST_CASE("an empty plan says so in one line", "[report]") {
  plans::Plan plan;
  plan.fabric = "pve-ring";
  plan.nodes[name("pve1")] = {};
  CHECK(
      plan_text(plan, {}) ==
      "pve-ring: 1 node, all reached\n\nNo changes: the fabric is what the document says.\n");
}

TEST_CASE("a file that goes is told apart from what runs on", "[report]") {
  plans::PlannedChange mtu = change(
      {name("a"), "interface", "cx5.1"}, "mtu", {Reading::of(1500), {}, Reading::of(1500)}, {}, 1);
  CHECK(change_text(mtu) == "1500 -> removed");
  mtu.attribute.activate = false;
  CHECK(change_text(mtu) == "1500 -> 1500, file absent");
  mtu.attribute.observed.running = Reading::absent();
  CHECK(change_text(mtu) == "absent, file 1500 -> removed");
}

TEST_CASE("colour is asked for, never assumed", "[report]") {
  CHECK(plan_text(two_nodes(), {}).str().find('\x1b') == std::string::npos);
  CHECK(
      plan_text(two_nodes(), {true, 80, false}).str().find("\x1b[33m!~\x1b[0m settings/cx5") !=
      std::string::npos);
}

TEST_CASE("waves that do the same to equally many nodes are one line", "[report]") {
  plans::Plan plan;
  for (int i = 1; i <= 40; ++i)
    add_node(plan, "c" + std::to_string(i), static_cast<std::uint32_t>(i), "10.0.0.1/16");
  const std::string text = plan_text(plan, {}).str();
  CHECK(text.find("waves 1-40: c[1-40], 1 node a wave (reboot)") != std::string::npos);
  CHECK(text.find("wave 5: c5") == std::string::npos);
}

TEST_CASE("many waves that do different things are cut in the middle", "[report]") {
  plans::Plan plan;
  for (int i = 1; i <= 40; ++i) {
    add_node(plan, "c" + std::to_string(i), static_cast<std::uint32_t>(i), "10.0.0.1/16");
    plan.waves.back().why = "for its own reason " + std::to_string(i);
  }
  const std::string text = plan_text(plan, {}).str();
  CHECK(text.find("... 34 more waves ...") != std::string::npos);
  CHECK(text.find("wave 4: c4 (reboot)") != std::string::npos);
  CHECK(text.find("wave 5: c5") == std::string::npos);
  CHECK(text.find("wave 40: c40 (reboot)") != std::string::npos);
}

}  // namespace fabric::report::test
