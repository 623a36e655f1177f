// SPDX-License-Identifier: Apache-2.0
// What the ports of a managed switch tell of the cables that end there.
#include "engine/verify/verify.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/leaf_pair.hpp"
#include "tests/unit/verify/leaves.hpp"

namespace fabric::verify::test {
namespace {

enum class At { linked, dark, shut, slow };

NetDevice front_port(const std::string& name, At state) {
  NetDevice device;
  device.name = name;
  device.operstate = state == At::linked || state == At::slow ? "up" : "down";
  if (state != At::shut) device.carrier = device.operstate == "up";
  if (device.carrier == true) device.speed_mbps = state == At::slow ? 25'000 : 100'000;
  return device;
}

// leaf1 with MLNX-OS, and c1 and c2 with ESXi behind it.
struct Managed {
  FabricSpec spec = leaf_pair("100G");
  discovery::Snapshot snapshot{};

  explicit Managed(At first, At second = At::linked) {
    std::vector<CableSpec>& cables = spec.networks.at("compute").cables;
    cables.erase(cables.begin() + 2, cables.end());
    spec.nodes.at(named("leaf1")).platform.value = Platform::mlnx_os;
    for (const char* host : {"c1", "c2"})
      spec.nodes.at(named(host)).platform.value = Platform::esxi;
    discovery::ObservedNode leaf{NodeFacts{named("leaf1"), {}, {}, {}, {}}, {}};
    leaf.platform = &platform::linux_platform();
    leaf.front_ports = {front_port("1", first), front_port("2", second)};
    snapshot.nodes.emplace(named("leaf1"), std::move(leaf));
  }

  Report judged() const { return judge(spec, snapshot, {}); }
};

TEST_CASE("a managed switch tells that a cable of ESXi on InfiniBand is out", "[verify]") {
  const Report report = Managed{At::dark}.judged();
  CHECK(report.cables[0].state == CableState::missing);
  CHECK(report.cables[0].detail == "no link at leaf1/1");
  const Diagnostic* finding = find(report, "cable-missing");
  REQUIRE(finding != nullptr);
  CHECK_FALSE(is_incomplete(*finding));
}

TEST_CASE("a port that is shut at a managed switch is told as shut", "[verify]") {
  const Report report = Managed{At::shut}.judged();
  CHECK(report.cables[0].state == CableState::shut);
  const Diagnostic* finding = find(report, "cable-shut");
  REQUIRE(finding != nullptr);
  CHECK(finding->message == "cable c1/hca/1 - leaf1/1 carries nothing: leaf1/1 is shut");
  CHECK(finding->help == "`fabric apply` opens it on leaf1");
}

TEST_CASE("a link that nothing identifies is unproven, and enough where a link is", "[verify]") {
  Managed fabric{At::linked};
  Report report = fabric.judged();
  CHECK(report.cables[0].state == CableState::no_data);
  CHECK(
      report.cables[0].detail ==
      "leaf1/1 has a link, but nothing shows the port at its other end: no node that was asked can "
      "read the subnet");
  const Diagnostic* finding = find(report, "cable-unproven");
  REQUIRE(finding != nullptr);
  CHECK(is_incomplete(*finding));
  // No word of Linux where there is none.
  CHECK(
      finding->help ==
      "give `--wire FILE` (of `ibnetdiscover`), or write `proof: carrier` at the cable or its "
      "switch");
  fabric.spec.nodes.at(named("leaf1")).proof.value = "carrier";
  report = fabric.judged();
  CHECK(report.cables[0].state == CableState::ok);
  CHECK(report.cables[0].proof == Proof::carrier);
  CHECK(find(report, "cable-unproven") == nullptr);
}

TEST_CASE("what a managed switch says of a link's speed counts", "[verify]") {
  Managed fabric{At::slow};
  fabric.spec.nodes.at(named("leaf1")).proof.value = "carrier";
  const Report report = fabric.judged();
  CHECK(report.cables[0].state == CableState::degraded);
  CHECK(report.cables[0].detail == "expected 100 Gb/s, found 25 Gb/s at leaf1/1");
}

TEST_CASE("on Ethernet both ends of a cable to a managed switch tell", "[verify]") {
  FabricSpec spec = leaves(2, Mode::ethernet);
  spec.nodes.at(leaf(1, 1).node).platform.value = Platform::cumulus;
  discovery::Snapshot snapshot = healthy(2);
  const auto judged = [&](At state) {
    discovery::ObservedNode observed{NodeFacts{leaf(1, 1).node, {}, {}, {}, {}}, {}};
    observed.platform = &platform::linux_platform();
    observed.front_ports = {front_port("1", state), front_port("2", At::linked)};
    snapshot.nodes.insert_or_assign(leaf(1, 1).node, std::move(observed));
    return judge(spec, snapshot, {}).cables[0];
  };
  snapshot.nodes.at(node(1)) = observed(1, link_state(1, false, true), "");
  CHECK(judged(At::shut).detail == "leaf1/1 is shut");
  CHECK(judged(At::dark).detail == "no carrier at both ends");
  CHECK(judged(At::linked).state == CableState::one_sided);
  snapshot.nodes.at(node(1)) = observed(1, link_state(1), "");
  CHECK(judged(At::dark).detail == "no carrier at leaf1/1, but link at pve1/cx5/1");
}

}  // namespace
}  // namespace fabric::verify::test
