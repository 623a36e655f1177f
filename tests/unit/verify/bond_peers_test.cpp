// SPDX-License-Identifier: Apache-2.0
// Bonds of hosts beside the port channels of the switches at their other ends.
#include <algorithm>

#include "engine/verify/verify.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/leaves.hpp"

namespace fabric::verify::test {
namespace {

TEST_CASE("another hash of the switch is a warning that names both ends", "[verify]") {
  FabricSpec spec = leaves(2, Mode::lag);
  spec.nodes.at(leaf(1, 1).node).platform.value = Platform::mlnx_os;
  const NodeName& name = leaf(1, 2).node;
  const auto findings = [&](const char* policy, const char* balance) {
    spec.networks.at("storage").lag->hash_policy.value = policy;
    discovery::Snapshot snapshot = with_bonds(2);
    Observation channel{{name, "bond", "bond2"}, {}};
    channel.attributes["mode"].running = Reading::of("lacp");
    if (*balance != '\0') channel.attributes["balance"].running = Reading::of(balance);
    discovery::ObservedNode switch_seen{
        NodeFacts{name, {}, {}, {}, {}}, {{channel.address, channel}}};
    switch_seen.platform = &platform::linux_platform();
    snapshot.nodes.insert_or_assign(name, std::move(switch_seen));
    std::vector<Diagnostic> found = judge(spec, snapshot, {}).findings;
    std::erase_if(found, [](const Diagnostic& each) { return each.rule != "bond-peer-differs"; });
    return found;
  };
  const std::vector<Diagnostic> found = findings("layer3+4", "source-port l3-protocol");
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::warning);
  CHECK(
      found[0].message ==
      "bond0 of pve2 and port 2 of leaf1 do not match: the switch spreads frames by source-port "
      "l3-protocol, the bond by layer3+4");
  CHECK(
      found[0].help ==
      "type `port-channel load-balance ethernet source-destination-ip source-destination-port` at "
      "leaf1, which is for all of its port channels, or give the bond another `hash_policy`");
  CHECK(findings("layer2", "source-destination-ip").size() == 1);
  CHECK(findings("layer2+3", "source-destination-mac").size() == 1);
  // More than the bond looks at is no less spread; what nobody has set, nobody knows.
  CHECK(findings(
            "layer3+4",
            "source-destination-mac source-destination-ip "
            "source-destination-port flow-label")
            .empty());
  CHECK(findings("layer3+4", "").empty());
  CHECK(findings("", "source-port").empty());
  CHECK(findings("vlan+srcmac", "source-port").empty());
}

}  // namespace
}  // namespace fabric::verify::test
