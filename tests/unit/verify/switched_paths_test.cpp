// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "engine/verify/verify.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/found.hpp"
#include "tests/unit/verify/leaves.hpp"

namespace fabric::verify::test {

namespace {

std::vector<Diagnostic> failover_findings(
    const FabricSpec& spec, const std::vector<FailoverReport>& reports) {
  return found_by([&](Findings& findings) { add_failover_findings(spec, reports, findings); });
}

template <class Loses>
std::vector<PathReport> answers(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, Loses loses) {
  std::vector<PathReport> reports;
  for (const Path& path : paths_to_test(spec, snapshot)) {
    const bool lost = loses(path);
    reports.push_back(
        {path,
         lost ? Passage::lost : Passage::passed,
         lost ? Passage::untested : Passage::passed,
         {}});
  }
  return reports;
}

bool touches(const Path& path, int number) {
  return path.from.node == node(number) || path.to.node == node(number);
}

// What judge() says but for cables, of which no data is a warning.
std::vector<Diagnostic> errors(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, const Tested& tested) {
  std::vector<Diagnostic> found = judge(spec, snapshot, tested).findings;
  found.erase(
      std::remove_if(
          found.begin(),
          found.end(),
          [](const Diagnostic& finding) {
            // These hosts have no LLDP, which is another matter.
            return finding.severity != Severity::error || finding.rule == "cable-unproven";
          }),
      found.end());
  return found;
}

}  // namespace

TEST_CASE("a bond is one end, pinged from every other over declared switches", "[verify]") {
  const auto paths = paths_to_test(leaves(3, Mode::lag), with_bonds(3));
  REQUIRE(paths.size() == 3 * 2);
  CHECK(paths.front() == Path{port(1, 1), port(2, 1), "storage", "bond0", "10.30.0.3", 9000});
}

TEST_CASE("bonds that only a pair of direct cables joins are pinged within the pair", "[verify]") {
  FabricSpec spec = leaves(4, Mode::lag);
  NetworkSpec& network = spec.networks.at("storage");
  network.cables = {
      cable(port(1, 1), port(2, 1)), cable(port(1, 2), port(2, 2)), cable(port(3, 1), port(4, 1))};
  std::set<std::string> pairs;
  for (const Path& path : paths_to_test(spec, with_bonds(4)))
    pairs.insert(path.from.node.str() + path.to.node.str());
  CHECK(pairs == std::set<std::string>{"pve1pve2", "pve2pve1", "pve3pve4", "pve4pve3"});
}

TEST_CASE(
    "ethernet ports that switches join are pinged, a host joins none of its own", "[verify]") {
  FabricSpec spec = leaves(3, Mode::ethernet);
  CHECK(paths_to_test(spec, with_bonds(3)).size() == 6 * 4);
  spec.networks.at("storage").cables.pop_back();  // the leaves to each other
  const auto paths = paths_to_test(spec, with_bonds(3));
  CHECK(paths.size() == 6 * 2);
  for (const Path& path : paths)
    CHECK(path.from.port == path.to.port);
}

TEST_CASE("of many ends each pings three and is pinged by some", "[verify]") {
  FabricSpec spec = leaves(9, Mode::ethernet);
  std::map<PortRef, int> from, to;
  for (const Path& path : paths_to_test(spec, with_bonds(9))) {
    ++from[path.from];
    ++to[path.to];
  }
  CHECK(from.size() == 18);
  CHECK(to.size() == 18);
  for (const auto& [port, times] : from)
    CHECK(times == 3);
  for (const auto& [port, times] : to)
    CHECK(times >= 2);
}

TEST_CASE("a VLAN is pinged out of its own interface", "[verify]") {
  FabricSpec spec = leaves(2, Mode::lag);
  NetworkSpec& network = spec.networks.at("storage");
  VlanSpec vlan;
  vlan.name = "backup";
  vlan.id.value = 100;
  for (int n : {1, 2})
    vlan.ipv4.addresses[port(n, 1)].push_back(
        {*IpAddress::parse("10.31.0." + std::to_string(n)), {}});
  network.vlans.push_back(vlan);
  const discovery::Snapshot snapshot = with_bonds(2);
  const auto paths = paths_to_test(spec, snapshot);
  REQUIRE(paths.size() == 4);
  CHECK(paths[0] == Path{port(1, 1), port(2, 1), "storage", "bond0", "10.30.0.3", 9000});
  CHECK(
      paths[1] ==
      Path{port(1, 1), port(2, 1), "storage", "bond0.100", "10.31.0.2", 9000, "backup"});
  const auto findings = errors(
      spec,
      snapshot,
      {answers(spec, snapshot, [](const Path& p) { return !p.vlan.empty(); }), {}, {}});
  REQUIRE(findings.size() == 1);
  CHECK(
      findings[0].message ==
      "no answer between pve1 and pve2 (bond0 of pve1 in VLAN backup -> bond0 of pve2 in VLAN "
      "backup and 1 more)");
}

TEST_CASE("IPoIB carries what the document says, else what the interface takes", "[verify]") {
  FabricSpec spec = leaves(2, Mode::infiniband);
  const discovery::Snapshot snapshot = with_bonds(2);
  auto paths = paths_to_test(spec, snapshot);
  REQUIRE(paths.size() == 4 * 2);
  CHECK(paths.front() == Path{port(1, 1), port(2, 1), "storage", "ens1f0np0", "10.30.0.3", 9000});
  spec.networks.at("storage").ipoib->mtu.value = 2044;
  paths = paths_to_test(spec, snapshot);
  CHECK(paths.front().mtu == 2044);
  CHECK(settles_late(spec, paths.front()));
}

TEST_CASE("of two interfaces of a port the one of its network's kind is used", "[verify]") {
  discovery::Snapshot snapshot = with_bonds(2);
  // ens1f0np0 has a MAC address; an IPoIB interface has one of 20 bytes.
  const std::string ipoib =
      "netdev ibp1s0f0\npci /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0\n"
      "address 00:00:10:49:fe:80:00:00:00:00:00:00:ec:0d:9a:03:00:1d:13:41\n"
      "dev_port 0\nmtu 2044\n";
  snapshot.nodes.at(node(1)) = observed(1, link_state(1) + ipoib, "");
  CHECK(paths_to_test(leaves(2, Mode::infiniband), snapshot).front().from_interface == "ibp1s0f0");
  CHECK(paths_to_test(leaves(2, Mode::ethernet), snapshot).front().from_interface == "ens1f0np0");
}

TEST_CASE("subnets without a cable between them don't ping each other", "[verify]") {
  FabricSpec spec = leaves(3, Mode::infiniband);
  spec.networks.at("storage").cables.pop_back();
  const auto paths = paths_to_test(spec, with_bonds(3));
  CHECK(paths.size() == 6 * 2);
  for (const Path& path : paths)
    CHECK(path.from.port == path.to.port);
}

TEST_CASE(
    "limited members of the default partition are not asked to reach each other", "[verify]") {
  FabricSpec spec = leaves(3, Mode::infiniband);
  PartitionSpec partition;
  partition.name = "Default";
  partition.pkey.value = 0x7fff;
  for (int n : {1, 2, 3})
    partition.members.push_back({node(n).str(), {}, {n == 1, {}}});
  spec.networks.at("storage").partitions.push_back(partition);
  const auto paths = paths_to_test(spec, with_bonds(3));
  CHECK(paths.size() == 16);
  for (const Path& path : paths)
    CHECK(touches(path, 1));
}

TEST_CASE("what is lost between two bonds names the bonds and no cable", "[verify]") {
  const FabricSpec spec = leaves(3, Mode::lag);
  const discovery::Snapshot snapshot = with_bonds(3);
  const auto paths = answers(
      spec, snapshot, [](const Path& path) { return touches(path, 1) && touches(path, 2); });
  const auto findings = errors(spec, snapshot, {paths, {}, {}});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "path-lost");
  CHECK(
      findings[0].message ==
      "no answer between pve1 and pve2 (bond0 of pve1 -> bond0 of pve2 and 1 more)");
}

TEST_CASE("a bond that is not there is one finding, not one per path", "[verify]") {
  const FabricSpec spec = leaves(4, Mode::lag);
  discovery::Snapshot snapshot = with_bonds(4);
  set_bond(snapshot, 3, Reading::absent());
  const auto findings = errors(
      spec,
      snapshot,
      {answers(spec, snapshot, [](const Path& p) { return touches(p, 3); }), {}, {}});
  REQUIRE(findings.size() == 1);
  CHECK(
      findings[0].message ==
      "no answer on bond0 of pve1 -> bond0 of pve3 and 5 more: pve3 has no bond0");
}

TEST_CASE("a bond goes on over its other port, so one pulled cable explains no loss", "[verify]") {
  const FabricSpec spec = leaves(3, Mode::lag);
  discovery::Snapshot snapshot = with_bonds(3);
  const auto lose_third = [&] {
    return errors(
        spec,
        snapshot,
        {answers(spec, snapshot, [](const Path& p) { return touches(p, 3); }), {}, {}});
  };
  snapshot.nodes.at(node(3)) = observed(3, link_state(3, false, true), "");
  set_bond(snapshot, 3, Reading::of("802.3ad"));
  auto findings = lose_third();
  CHECK(std::count_if(findings.begin(), findings.end(), [](const Diagnostic& finding) {
          return finding.rule == "path-lost";
        }) == 3);  // pve3, and its two pairs
  snapshot.nodes.at(node(3)) = observed(3, link_state(3, false, false), "");
  set_bond(snapshot, 3, Reading::of("802.3ad"));
  findings = lose_third();
  for (const Diagnostic& finding : findings)
    CHECK(finding.rule == "cable-missing");
  CHECK(findings.size() == 2);
}

TEST_CASE("a port in INIT is said once, by its subnet", "[verify]") {
  const FabricSpec spec = leaves(3, Mode::infiniband);
  const discovery::Snapshot snapshot = with_bonds(3);
  Tested tested;
  tested.paths = answers(spec, snapshot, [](const Path& path) {
    return path.from == port(2, 1) || path.to == port(2, 1);
  });
  tested.subnet_ports.push_back({"storage", port(2, 1), "mlx5_0/1", "INIT", {}, {}, {}});
  const auto findings = errors(spec, snapshot, tested);
  REQUIRE_FALSE(findings.empty());
  for (const Diagnostic& finding : findings)
    CHECK(finding.rule != "path-lost");
}

TEST_CASE("full frames lost between bonds name the one that is too small", "[verify]") {
  const FabricSpec spec = leaves(2, Mode::lag);
  discovery::Snapshot snapshot = with_bonds(2);
  set_firmware(snapshot, 1, "16.22.1002");  // chains nothing here
  set_bond(snapshot, 2, Reading::of("802.3ad"), 1500);
  auto paths = answers(spec, snapshot, [](const Path&) { return false; });
  for (PathReport& report : paths)
    report.full = Passage::lost;
  const auto findings = errors(spec, snapshot, {paths, {}, {}});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "mtu-lost");
  CHECK(
      findings[0].message ==
      "frames of 9000 bytes are lost between bond0 of pve1 and bond0 of pve2 (and on 1 more "
      "paths), but small ones pass: bond0 of pve2 has MTU 1500");
}

TEST_CASE(
    "a bond that is known to be no RoCE LAG is told, one of which nothing is known not",
    "[verify]") {
  const FabricSpec spec = leaves(2, Mode::lag);
  discovery::Snapshot snapshot = with_bonds(2);
  const auto found = [&](Reading roce) {
    set_bond(snapshot, 2, Reading::of("802.3ad"));
    snapshot.nodes.at(node(2))
        .observations.at({node(2), "bond", "bond0"})
        .attributes["roce"]
        .running = std::move(roce);
    return errors(spec, snapshot, {});
  };
  CHECK(found(Reading::of(true)).empty());
  CHECK(found(Reading::unknown("the slaves were not found")).empty());
  CHECK(found(Reading::absent()).empty());
  const auto findings = found(Reading::of(false));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "roce-lag-missing");
}

TEST_CASE("a bond that can't be tried is untested, and says why", "[verify]") {
  FabricSpec spec = leaves(2, Mode::lag);
  discovery::Snapshot snapshot = with_bonds(2);
  CHECK(failovers_to_test(spec, snapshot).size() == 4);
  CHECK(untried_failovers(spec, snapshot).empty());
  set_bond(snapshot, 1, Reading::absent());
  auto untried = untried_failovers(spec, snapshot);
  REQUIRE(untried.size() == 1);
  CHECK(untried[0].detail == "pve1 has no bond0");
  CHECK(failover_findings(spec, untried).at(0).message == "bond0 of pve1/cx5/1: pve1 has no bond0");
  lose(snapshot, 2, "no route to host");
  set_bond(snapshot, 1, Reading::of("802.3ad"));
  untried = untried_failovers(spec, snapshot);
  REQUIRE(untried.size() == 2);
  CHECK(untried[0].detail == "no other node of network storage has an address and was reached");
  CHECK(untried[1].detail == "pve2 was not reached");
  CHECK(failovers_to_test(spec, snapshot).empty());
  CHECK(failover_findings(spec, untried).size() == 1);  // `not-reachable` says the other
}

}  // namespace fabric::verify::test
