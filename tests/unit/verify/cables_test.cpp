// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/verify.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {

TEST_CASE("a ring whose neighbours say what the document says is ok", "[verify]") {
  const Report report = judge(ring(4), healthy(4), {});
  REQUIRE(report.cables.size() == 4);
  for (const CableReport& cable : report.cables)
    CHECK(cable.state == CableState::ok);
  CHECK(report.findings.empty());
  CHECK(report.ok());
}

TEST_CASE("a cable without carrier at both ends is missing and both ends are named", "[verify]") {
  discovery::Snapshot snapshot = healthy(4);
  snapshot.nodes.at(node(1)) = observed(1, link_state(1, false, true), lldp(neighbour(2, 4, 1)));
  snapshot.nodes.at(node(2)) = observed(2, link_state(2, true, false), lldp(neighbour(1, 3, 2)));
  const Report report = judge(ring(4), snapshot, {});
  CHECK(report.cables[0].state == CableState::missing);
  CHECK(report.cables[1].state == CableState::ok);
  const Diagnostic* finding = find(report, "cable-missing");
  REQUIRE(finding != nullptr);
  CHECK(finding->message == "cable pve1/cx5/1 - pve2/cx5/2 is missing: no carrier at both ends");
  CHECK_FALSE(report.ok());
}

TEST_CASE("two swapped cables are mis-wired, with what LLDP found", "[verify]") {
  // pve1/1 <-> pve4/2 and pve3/1 <-> pve2/2 instead of pve1/1 <-> pve2/2 and pve3/1 <-> pve4/2.
  discovery::Snapshot snapshot = healthy(4);
  snapshot.nodes.at(node(1)) =
      observed(1, link_state(1), lldp(neighbour(1, 4, 2) + "," + neighbour(2, 4, 1)));
  snapshot.nodes.at(node(2)) =
      observed(2, link_state(2), lldp(neighbour(1, 3, 2) + "," + neighbour(2, 3, 1)));
  snapshot.nodes.at(node(3)) =
      observed(3, link_state(3), lldp(neighbour(1, 2, 2) + "," + neighbour(2, 2, 1)));
  snapshot.nodes.at(node(4)) =
      observed(4, link_state(4), lldp(neighbour(1, 1, 2) + "," + neighbour(2, 1, 1)));
  const Report report = judge(ring(4), snapshot, {});
  CHECK(report.cables[0].state == CableState::mis_wired);
  CHECK(
      report.cables[0].detail ==
      "pve1/cx5/1 is cabled to pve4/cx5/2 (LLDP); pve2/cx5/2 is cabled to pve3/cx5/1 (LLDP)");
  CHECK(report.cables[1].state == CableState::ok);
  CHECK(report.cables[2].state == CableState::mis_wired);
  CHECK(report.cables[3].state == CableState::ok);
}

// As if the cards passed LLDP on: each port hears the port that it is cabled to, and another one.
discovery::Snapshot forwarding() {
  discovery::Snapshot snapshot = healthy(4);
  const auto hears_all = [](int number) {
    const int next = number % 4 + 1;
    const int previous = (number + 2) % 4 + 1;
    const int across = next % 4 + 1;
    return lldp(
        neighbour(1, next, 2) + "," + neighbour(1, across, 2) + "," + neighbour(2, previous, 1) +
        "," + neighbour(2, across, 1));
  };
  for (int number = 1; number <= 4; ++number)
    snapshot.nodes.at(node(number)) = observed(number, link_state(number), hears_all(number));
  return snapshot;
}

TEST_CASE("the right neighbour among several proves no cable of a chain", "[verify]") {
  const Report report = judge(ring(4), forwarding(), {});
  CHECK(report.cables[0].state == CableState::no_data);
  const Diagnostic* finding = find(report, "cable-unproven");
  REQUIRE(finding != nullptr);
  CHECK(finding->message.find("pve1/cx5/1 hears 2 neighbours by LLDP") != std::string::npos);
  // A switch forwards no LLDP: several neighbours of an Ethernet port are agents on one host.
  FabricSpec plain = ring(4);
  plain.networks.at("storage").mode.value = Mode::ethernet;
  CHECK(judge(plain, forwarding(), {}).cables[0].state == CableState::ok);
}

TEST_CASE("a card whose firmware takes LLDP is named where a cable can't be judged", "[verify]") {
  discovery::Snapshot snapshot = healthy(4);
  snapshot.nodes.at(node(1)) = observed(1, link_state(1), lldp(neighbour(2, 4, 1)));
  snapshot.nodes.at(node(2)) = observed(2, link_state(2), lldp(neighbour(1, 3, 2)));
  CHECK(find(judge(ring(4), snapshot, {}), "lldp-in-firmware") == nullptr);
  const auto take = [&](int number, const char* ports) {
    snapshot.nodes.at(node(number))
        .observations.at({node(number), "adapter", "cx5"})
        .attributes["lldp_in_firmware"]
        .running = Reading::of(ports);
  };
  // Nobody blames the port 2 that hears its neighbour.
  take(1, "1, 2");
  const Report report = judge(ring(4), snapshot, {});
  const Diagnostic* finding = find(report, "lldp-in-firmware");
  REQUIRE(finding != nullptr);
  CHECK(
      finding->message ==
      "the firmware of pve1/cx5 takes the LLDP frames of port 1, so lldpd on pve1 hears "
      "no neighbour there");
  CHECK(finding->help == "write `firmware: {params: {LLDP_NB_RX_MODE_P1: 0}}` at the adapter");
  CHECK(
      report.cables[0].detail.find("(the firmware of pve1/cx5/1 takes its LLDP frames)") !=
      std::string::npos);
  // The other end told what it hears: the cable is proven.
  CHECK(find(judge(ring(4), healthy(4), {}), "lldp-in-firmware") == nullptr);
  take(1, "2");
  CHECK(find(judge(ring(4), snapshot, {}), "lldp-in-firmware") == nullptr);
}

TEST_CASE("one serial number at both plugs proves a cable that LLDP does not", "[verify]") {
  const auto plugged = [](const std::string& interface, const std::string& serial) {
    platform::LinkReading link;
    link.interface = interface;
    link.module.emplace();
    link.module->serial = serial;
    return link;
  };
  Tested tested;
  tested.links[node(1)].links = {plugged("ens1f0np0", "A1")};
  tested.links[node(2)].links = {plugged("ens1f1np1", "A1"), plugged("ens1f0np0", "B1")};
  tested.links[node(3)].links = {plugged("ens1f1np1", "B2")};
  const Report report = judge(ring(4), forwarding(), tested);
  CHECK(report.cables[0].state == CableState::ok);
  CHECK(report.cables[1].state == CableState::no_data);  // transceivers, each with its own
}

TEST_CASE("a cable that returns to its own card is a loopback", "[verify]") {
  discovery::Snapshot snapshot = healthy(4);
  snapshot.nodes.at(node(1)) =
      observed(1, link_state(1), lldp(neighbour(1, 1, 2) + "," + neighbour(2, 1, 1)));
  const Report report = judge(ring(4), snapshot, {});
  CHECK(report.cables[0].state == CableState::loopback);
}

TEST_CASE("a link at one end only is one-sided", "[verify]") {
  discovery::Snapshot snapshot = healthy(4);
  snapshot.nodes.at(node(1)) = observed(1, link_state(1, false, true), lldp(neighbour(2, 4, 1)));
  const Report report = judge(ring(4), snapshot, {});
  CHECK(report.cables[0].state == CableState::one_sided);
  CHECK(report.cables[0].detail == "no carrier at pve1/cx5/1, but link at pve2/cx5/2");
}

TEST_CASE("without LLDP a link that is up proves no cable", "[verify]") {
  discovery::Snapshot snapshot;
  for (int n = 1; n <= 3; ++n)
    snapshot.nodes.emplace(node(n), observed(n, link_state(n), ""));
  const Report report = judge(ring(3), snapshot, {});
  for (const CableReport& cable : report.cables)
    CHECK(cable.state == CableState::no_data);
  const Diagnostic* finding = find(report, "cable-unproven");
  REQUIRE(finding != nullptr);
  CHECK(finding->severity == Severity::error);
  CHECK(is_incomplete(*finding));
  CHECK(finding->message.find("3 of 3 cables of network storage") == 0);
  CHECK(finding->message.find("pve1: lldpcli is not installed") != std::string::npos);
}

TEST_CASE("the answer of one end is enough", "[verify]") {
  discovery::Snapshot snapshot = healthy(4);
  snapshot.nodes.at(node(2)) = observed(2, link_state(2), "");
  const Report report = judge(ring(4), snapshot, {});
  CHECK(report.cables[0].state == CableState::ok);
  CHECK(report.cables[1].state == CableState::ok);
}

TEST_CASE("a node that was not reached leaves no data, never ok", "[verify]") {
  discovery::Snapshot snapshot = healthy(4);
  // The neighbours no longer hear it: its frames have timed out.
  lose(snapshot, 2, "pve2: connection refused");
  snapshot.nodes.at(node(1)) = observed(1, link_state(1, false, true), lldp(neighbour(2, 4, 1)));
  const Report report = judge(ring(4), snapshot, {});
  CHECK(report.cables[0].state == CableState::no_data);
  CHECK_FALSE(report.ok());
  const Diagnostic* finding = find(report, "not-reachable");
  REQUIRE(finding != nullptr);
  CHECK(
      finding->message ==
      "pve2 was not reached, so the state of its ports is not known: pve2: connection refused");
}

TEST_CASE("a port that is shut is told as shut, and is wrong", "[verify]") {
  discovery::Snapshot snapshot = healthy(3);
  const std::string silent = "netdev ens1f0np0\npci /sys/devices/0000:01:00.0\naddress " +
                             mac(1, 1) +
                             "\ndev_port 0\noperstate down\ncarrier \nspeed \nmtu 1500\n";
  snapshot.nodes.at(node(1)) = observed(1, silent, lldp(""));
  snapshot.nodes.at(node(2)) = observed(2, link_state(2), "");
  const Report report = judge(ring(3), snapshot, {});
  CHECK(report.cables[0].state == CableState::shut);
  CHECK(report.cables[0].detail == "pve1/cx5/1 (ens1f0np0) is shut");
  // Unlike a link without LLDP: nothing works here, so verify must not pass.
  const Diagnostic* finding = find(report, "cable-shut");
  REQUIRE(finding != nullptr);
  CHECK(
      finding->message ==
      "cable pve1/cx5/1 - pve2/cx5/2 carries nothing: pve1/cx5/1 (ens1f0np0) is shut");
  CHECK(finding->help == "`fabric apply` opens it on pve1");
  CHECK(finding->severity == Severity::error);
  CHECK_FALSE(is_incomplete(*finding));
}

}  // namespace fabric::verify::test
