// SPDX-License-Identifier: Apache-2.0
// Private to expansion: where the bonds of hosts end at the switches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/model/topology/shared_bonds.hpp"
#include "engine/value/value.hpp"

namespace fabric::expansion {

// The ports of one switch that the bond of one host ends in, in order; and its ports at the peer.
struct BondEnd {
  std::vector<PortRef> ports;
  std::vector<PortRef> at_peer{};
  std::optional<SharedBond> shared{};  // its segment by EVPN multihoming
};

// Returns null if the port is no end of the cable.
const PortRef* other_end(const CableSpec& cable, const PortRef& port);
// The bonds that end at the switch `node`, by name of the host.
std::map<NodeName, BondEnd> bond_ends(
    const FabricSpec& spec, const NetworkSpec& network, const NodeSpec& node);
// The number of the bond's lowest port at the lower switch of the pair: the same at both switches,
// and of no other bond. REQUIRES: `node` is in a pair, and `end` is at both.
std::int64_t mlag_id(const NodeSpec& node, const BondEnd& end);

// The ports of the link between a pair, by the switch's own names. REQUIRES: `node` is in a pair.
List link_ports(const NodeSpec& node);

}  // namespace fabric::expansion
