// SPDX-License-Identifier: Apache-2.0
// One cause is one finding: what is only its consequence stands under it, and is counted there.
#include <algorithm>
#include <initializer_list>
#include <string_view>

#include <fmt/format.h>

#include "engine/provider/bond_faults.hpp"
#include "engine/verify/verify.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/leaf_pair.hpp"
#include "tests/unit/verify/leaves.hpp"

namespace fabric::verify::test {

namespace {

// What people are shown.
std::vector<Diagnostic> causes(const Report& report) {
  std::vector<Diagnostic> found;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    // These hosts have no LLDP, which is another matter.
    if (report.findings[i].message.find("no LLDP shows") != std::string::npos) continue;
    if (!report.cause_of.contains(i)) found.push_back(report.findings[i]);
  }
  return found;
}

std::string last_note(const Diagnostic& finding) {
  return finding.related.empty() ? "" : finding.related.back().message;
}

// Of the rule of the only finding with it; "" = a cause.
std::string cause_of(const Report& report, const std::string& rule) {
  for (const auto& [consequence, cause] : report.cause_of) {
    if (report.findings[consequence].rule == rule) return report.findings[cause].rule;
  }
  return {};
}

// All paths that can be tested. Lost are those that `loses`, there or back.
template <class Loses>
Tested pinged(const FabricSpec& spec, const discovery::Snapshot& snapshot, Loses loses) {
  Tested tested;
  tested.pinged = true;
  for (const Path& path : paths_to_test(spec, snapshot)) {
    const bool lost = loses(path);
    tested.paths.push_back(
        {path,
         lost ? Passage::lost : Passage::passed,
         lost ? Passage::untested : Passage::passed,
         {}});
  }
  return tested;
}

std::ptrdiff_t lost_in(const Tested& tested) {
  return std::count_if(tested.paths.begin(), tested.paths.end(), [](const PathReport& path) {
    return path.small == Passage::lost;
  });
}

// Frames and answers that would have to go through the node or over the cable.
template <class Dies>
auto dies_on_the_way(const FabricSpec& spec, Dies dies) {
  return [topology = Topology{spec}, dies](const Path& path) {
    return dies(topology.route(path.from, path.to)) || dies(topology.route(path.to, path.from));
  };
}

// The ring of four whose third node is down: its neighbours have no link to it.
discovery::Snapshot without_third() {
  discovery::Snapshot snapshot = healthy(4);
  lose(snapshot, 3, "no route to host");
  snapshot.nodes.at(node(2)) = observed(2, link_state(2, false, true), lldp(neighbour(2, 1, 1)));
  snapshot.nodes.at(node(4)) = observed(4, link_state(4, true, false), lldp(neighbour(1, 1, 2)));
  return snapshot;
}

struct Seen {
  std::string_view fault, text;
};

Diagnostics of_bond(int number, std::initializer_list<Seen> faults) {
  Diagnostics found;
  for (const Seen& seen : faults) {
    found
        .warning(
            "bond-not-aggregated", {}, fmt::format("{}: bond0: {}", node(number).str(), seen.text))
        .with_fault({seen.fault, {node(number), "bond0"}, {}});
  }
  return found;
}

// The words are for people: what is judged is the fault.
constexpr Seen kNoPartner{bond_faults::kPartner, "silence"};
constexpr Seen kOneOfTwo{bond_faults::kAggregation, "1 of 2"};
constexpr Seen kSlaveDown{bond_faults::kLink, "a slave rests"};

}  // namespace

TEST_CASE("a node that is down is one finding, and nobody else is accused", "[verify]") {
  const FabricSpec spec = ring(4);
  const discovery::Snapshot snapshot = without_third();
  const Tested tested = pinged(spec, snapshot, dies_on_the_way(spec, [](const Route& route) {
                                 return route.crosses(node(3));
                               }));
  const Report report = judge(spec, snapshot, tested);
  const auto found = causes(report);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "not-reachable");
  CHECK(lost_in(tested) == 18);
  // Of 48 paths half end at it.
  CHECK(
      last_note(found[0]) ==
      "because of that: 2 cables could not be judged, 24 paths could not be pinged and 18 paths "
      "were lost");
  CHECK(cause_of(report, "cable-unproven") == "not-reachable");
  CHECK(cause_of(report, "transit-lost") == "not-reachable");
  const Diagnostic* transit = find(report, "transit-lost");
  REQUIRE(transit != nullptr);
  CHECK(
      last_note(*transit) ==
      "because of not-reachable: pve3 was not reached, so the state of its ports is not known: no "
      "route to host");
}

TEST_CASE("a node that can't be asked but forwards is not what loses frames", "[verify]") {
  const FabricSpec spec = ring(5);
  discovery::Snapshot snapshot = healthy(5);
  lose(snapshot, 3, "permission denied");
  // pve5 does not forward.
  const Report report =
      judge(spec, snapshot, pinged(spec, snapshot, dies_on_the_way(spec, [](const Route& route) {
                                     return route.crosses(node(5));
                                   })));
  const auto found = causes(report);
  REQUIRE(found.size() == 2);
  CHECK(found[0].rule == "not-reachable");
  CHECK(found[1].rule == "transit-lost");
  CHECK(found[1].message.find("in transit through pve5") != std::string::npos);
}

TEST_CASE("paths that are not pinged at all are not counted", "[verify]") {
  const Report report = judge(ring(4), without_third(), {});
  CHECK(last_note(report.findings.at(0)) == "because of that: 2 cables could not be judged");
}

TEST_CASE("a cut cable counts the paths over it", "[verify]") {
  const FabricSpec spec = ring(4);
  discovery::Snapshot snapshot = healthy(4);
  snapshot.nodes.at(node(1)) = observed(1, link_state(1, false, true), lldp(neighbour(2, 4, 1)));
  snapshot.nodes.at(node(2)) = observed(2, link_state(2, true, false), lldp(neighbour(1, 3, 2)));
  Tested tested =
      pinged(spec, snapshot, dies_on_the_way(spec, [](const Route& route) {
               return std::find(route.cables.begin(), route.cables.end(), 0U) != route.cables.end();
             }));
  const Flow flow{
      Traffic::rdma,
      "storage",
      {port(1, 1), {"ens1f0np0", {}, {}, 1, {}}},
      {port(2, 2), {"ens1f1np1", {}, {}, 1, {}}},
      {0}};
  tested.flows.push_back({flow, FlowState::failed, 0, "it timed out"});
  tested.counters.push_back(
      {port(1, 1), "ens1f0np0", "", CounterState::moved, {{"carrier_down_count", 1, 2}}, ""});
  const Report report = judge(spec, snapshot, tested);
  const auto found = causes(report);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "cable-missing");
  CHECK(
      last_note(found[0]) == "because of that: " + std::to_string(lost_in(tested)) +
                                 " paths were lost, 1 flow failed and 1 further finding "
                                 "(link-errors)");
}

TEST_CASE("a bond without an LACP partner is one finding, lost paths and all", "[verify]") {
  const FabricSpec spec = leaves(3, Mode::lag);
  const discovery::Snapshot snapshot = with_bonds(3);
  const Tested tested = pinged(spec, snapshot, [](const Path& path) {
    return path.from.node == node(2) || path.to.node == node(2);
  });
  const Report report = judge(spec, snapshot, tested, of_bond(2, {kNoPartner, kOneOfTwo}));
  auto found = causes(report);
  std::erase_if(found, [](const Diagnostic& each) { return each.rule == "cable-unproven"; });
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::error);
  CHECK(found[0].message == "pve2: bond0: silence");
  CHECK(
      last_note(found[0]) ==
      "because of that: 4 paths were lost and 1 further finding (bond-not-aggregated)");
}

// Port channels as an Onyx switch tells them, of the host's two ports at two leaves.
TEST_CASE(
    "a bond whose switch is set up otherwise is one finding that names both ends", "[verify]") {
  FabricSpec spec = leaves(2, Mode::lag);
  spec.nodes.at(leaf(1, 1).node).platform.value = Platform::mlnx_os;
  spec.networks.at("storage").mtu.value = 9000;
  discovery::Snapshot snapshot = with_bonds(2);
  Observation channel{{leaf(1, 2).node, "bond", "bond2"}, {}};
  const auto set = [&](const char* attribute, Value running, Value saved) {
    channel.attributes[attribute].running = Reading::of(std::move(running));
    channel.attributes[attribute].persistent = Reading::of(std::move(saved));
  };
  const auto findings = [&] {
    const NodeName& name = channel.address.node;
    discovery::ObservedNode leaf1{NodeFacts{name, {}, {}, {}, {}}, {{channel.address, channel}}};
    leaf1.platform = &platform::linux_platform();
    snapshot.nodes.insert_or_assign(name, std::move(leaf1));
    std::vector<Diagnostic> found =
        causes(judge(spec, snapshot, {}, of_bond(2, {kNoPartner, kOneOfTwo})));
    std::erase_if(found, [](const Diagnostic& each) {
      return each.rule == "cable-unproven" || each.rule == "not-reachable";
    });
    return found;
  };
  set("mode", "lacp", "lacp");
  set("members", List{"2"}, List{"2"});
  set("mtu", std::int64_t{9000}, std::int64_t{9000});
  set("bridged", true, true);
  REQUIRE(findings().size() == 1);
  CHECK(findings()[0].rule == "bond-not-aggregated");

  set("mode", "static", "static");
  set("mtu", std::int64_t{1500}, std::int64_t{9000});
  set("members", List{"7"}, List{"7"});
  std::vector<Diagnostic> found = findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "bond-peer-differs");
  CHECK(found[0].severity == Severity::error);
  CHECK(
      found[0].message ==
      "bond0 of pve2 and port 2 of leaf1 do not match: mode static, not lacp; members 7, not 2; "
      "MTU "
      "1500, not 9000");
  CHECK(last_note(found[0]) == "because of that: 2 further findings (bond-not-aggregated)");

  set("mode", "lacp", "static");
  set("mtu", std::int64_t{9000}, std::int64_t{1500});
  set("members", List{"2"}, List{"2"});
  found = findings();
  REQUIRE(found.size() == 2);
  CHECK(found[0].severity == Severity::warning);
  CHECK(
      found[0].message ==
      "bond0 of pve2 and port 2 of leaf1 do not match: the running configuration is not saved, so "
      "the next boot of leaf1 undoes it");

  channel.attributes["members"].running = Reading::absent();
  found = findings();
  REQUIRE(found.size() == 1);
  CHECK(
      found[0].message ==
      "bond0 of pve2 and port 2 of leaf1 do not match: no port channel has these ports");
}

TEST_CASE(
    "a port that LACP leaves out at the switch is one finding that names both ends", "[verify]") {
  FabricSpec spec = leaves(2, Mode::lag);
  spec.nodes.at(leaf(1, 1).node).platform.value = Platform::mlnx_os;
  discovery::Snapshot snapshot = with_bonds(2);
  const NodeName& name = leaf(1, 2).node;
  Observation channel{{name, "bond", "bond2"}, {}};
  channel.attributes["mode"].running = Reading::of("lacp");
  discovery::ObservedNode switch_seen{
      NodeFacts{name, {}, {}, {}, {}}, {{channel.address, channel}}};
  switch_seen.platform = &platform::linux_platform();
  snapshot.nodes.insert_or_assign(name, std::move(switch_seen));
  Diagnostics seen = of_bond(2, {kNoPartner, kOneOfTwo});
  seen.warning("bond-not-aggregated", {}, "leaf1: a channel")
      .with_fault({bond_faults::kIndividual, {name, "bond2"}, {"2"}});
  const Report report = judge(spec, snapshot, {}, seen);
  std::vector<Diagnostic> found = causes(report);
  std::erase_if(found, [](const Diagnostic& each) {
    return each.rule == "cable-unproven" || each.rule == "not-reachable";
  });
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "bond-peer-differs");
  CHECK(found[0].severity == Severity::error);
  CHECK(
      found[0].message ==
      "bond0 of pve2 and port 2 of leaf1 do not match: port 2 is individual (no LACP is heard "
      "there)");
  CHECK(last_note(found[0]) == "because of that: 2 further findings (bond-not-aggregated)");
}

TEST_CASE("of a bond a cut cable explains the slave that is down, not the silence", "[verify]") {
  const FabricSpec spec = leaves(2, Mode::lag);
  discovery::Snapshot snapshot = with_bonds(2);
  const auto rules_and_causes = [&](bool second_port) {
    snapshot.nodes.at(node(1)) = observed(1, link_state(1, false, second_port), "");
    set_bond(snapshot, 1, Reading::of("802.3ad"));
    const Report report =
        judge(spec, snapshot, {}, of_bond(1, {kSlaveDown, kNoPartner, kOneOfTwo}));
    CHECK(cause_of(report, "bond-not-aggregated") == "cable-missing");
    auto found = causes(report);
    std::vector<std::string> messages;
    for (const Diagnostic& each : found)
      messages.push_back(each.rule == "cable-missing" ? each.rule : each.message);
    return messages;
  };
  CHECK(
      rules_and_causes(true) == std::vector<std::string>{"cable-missing", "pve1: bond0: silence"});
  CHECK(rules_and_causes(false) == std::vector<std::string>{"cable-missing", "cable-missing"});
}

TEST_CASE("a bond to a host that is down is a consequence of that", "[verify]") {
  FabricSpec spec = leaves(2, Mode::lag);
  spec.networks.at("storage").cables = {
      cable(port(1, 1), port(2, 1)), cable(port(1, 2), port(2, 2))};
  discovery::Snapshot snapshot = with_bonds(2);
  lose(snapshot, 2, "no route to host");
  Tested tested;
  tested.failovers = untried_failovers(spec, snapshot);
  std::erase_if(tested.failovers, [](const FailoverReport& each) { return each.reached; });
  REQUIRE(tested.failovers.size() == 1);
  const Report report = judge(spec, snapshot, tested, of_bond(1, {kSlaveDown, kNoPartner}));
  const auto found = causes(report);
  REQUIRE(found.size() == 1);
  CHECK(
      last_note(found[0]) ==
      "because of that: 2 cables could not be judged, the fail-over of 1 bond could not be tried "
      "and 2 further findings (bond-not-aggregated)");
}

TEST_CASE("a subnet whose manager's host is down explains its ports and their paths", "[verify]") {
  FabricSpec spec = leaves(3, Mode::infiniband);
  SubnetManagerPlacement manager;
  manager.node.value = node(1).str();
  spec.networks.at("storage").subnet_managers.push_back(manager);
  discovery::Snapshot snapshot = with_bonds(3);
  lose(snapshot, 1, "no route to host");
  Tested tested = pinged(spec, snapshot, [](const Path&) { return true; });
  REQUIRE_FALSE(tested.paths.empty());
  tested.subnet_ports.push_back({"storage", port(2, 1), "mlx5_0/1", "INIT", {}, {}, {}});
  tested.subnet_ports.push_back({"storage", port(2, 2), "mlx5_1/1", "INIT", {}, {}, {}});
  const Report report = judge(spec, snapshot, tested);
  CHECK(cause_of(report, "port-unmanaged") == "not-reachable");
  CHECK(find(report, "path-lost") == nullptr);
  const std::string note = last_note(report.findings.at(0));
  CHECK(note.find(std::to_string(tested.paths.size()) + " paths were lost") != std::string::npos);
  CHECK(note.find("1 further finding (port-unmanaged)") != std::string::npos);
}

TEST_CASE("one interface that is too small is one finding", "[verify]") {
  const FabricSpec spec = leaves(4, Mode::lag);
  discovery::Snapshot snapshot = with_bonds(4);
  set_bond(snapshot, 2, Reading::of("802.3ad"), 1500);
  Tested tested = pinged(spec, snapshot, [](const Path&) { return false; });
  for (PathReport& report : tested.paths) {
    if (report.path.from.node == node(2) || report.path.to.node == node(2))
      report.full = Passage::lost;
  }
  const Report report = judge(spec, snapshot, tested);
  auto found = causes(report);
  std::erase_if(found, [](const Diagnostic& each) { return each.rule == "cable-unproven"; });
  REQUIRE(found.size() == 1);
  CHECK(found[0].message.find("bond0 of pve2 has MTU 1500") != std::string::npos);
  CHECK(last_note(found[0]) == "because of that: 2 further findings (mtu-lost)");
}

TEST_CASE("a node that nobody reaches is named once", "[verify]") {
  const FabricSpec spec = ring(4);
  const discovery::Snapshot snapshot = healthy(4);
  Tested tested = pinged(spec, snapshot, [](const Path& path) {
    return path.from == port(2, 1) || path.to == port(2, 1);
  });
  const auto found = causes(judge(spec, snapshot, tested));
  REQUIRE(found.size() == 1);
  CHECK(
      found[0].message ==
      "no answer between pve2 and 3 other nodes (pve1/cx5/1 -> pve2/cx5/1 and 11 more)");
}

TEST_CASE("more than a handful of unknown links are summed up, and all of them stay", "[verify]") {
  const auto unexpected = [](int links) {
    Subnet subnet = Subnet::healthy();
    for (int i = 0; i < links; ++i)
      subnet.join(0, 10 + i, 1, 10 + i);
    return judge_wire(leaf_pair(), subnet.seen());
  };
  CHECK(causes(unexpected(5)).size() == 5);
  const Report report = unexpected(6);
  const auto found = causes(report);
  REQUIRE(found.size() == 1);
  CHECK(
      found[0].message ==
      "6 links of the subnets are not in the document, for example leaf1/10 - leaf2/10");
  CHECK(found[0].related.empty());
  CHECK(report.findings.size() == 7);
  CHECK(last_note(report.findings[1]).starts_with("belongs to cable-unexpected: 6 links"));
}

TEST_CASE("hosts that the subnet calls otherwise are one finding that names them", "[verify]") {
  FabricSpec spec = leaf_pair();
  Subnet subnet = Subnet::healthy();
  for (const std::size_t host : {2U, 3U})
    subnet.topology.nodes[host].name = "node" + std::to_string(host);
  const auto found = causes(judge_wire(spec, subnet.seen()));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "cable-unproven");
  CHECK(last_note(found[0]) == "not seen in the subnet: c[1-2]");
}

}  // namespace fabric::verify::test
