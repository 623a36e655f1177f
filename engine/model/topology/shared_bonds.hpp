// SPDX-License-Identifier: Apache-2.0
// Switches that hosts see as one: pairs of MLAG, and those that share bonds by EVPN multihoming.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric {

// The bond of a host that ends at switches with `mlag: {by: evpn}`: its Ethernet segment.
struct SharedBond {
  NodeName host;
  std::map<NodeName, std::vector<PortRef>> ports;  // by switch, the lowest port first
  // LACP's system address, and the number of the segment under it. Their place is that of their
  // key, else of the first switch by name, from whose lowest port the number follows.
  Sourced<std::string> mac;
  Sourced<std::int64_t> id;
};

// The bonds of a network of mode lag; a bond that ends at one switch alone has no segment.
std::vector<SharedBond> shared_bonds(const FabricSpec& spec, const NetworkSpec& network);
// The id by the key `segment` of one of its switches; nullopt if it is not given.
std::optional<Sourced<std::int64_t>> written_segment(const NodeSpec& node, const SharedBond& bond);

// The pairs of switches, each once, the first by name in front.
std::set<std::pair<NodeName, NodeName>> paired_switches(const FabricSpec& spec);

// An address in the maker's range for pairs (E-nvue-mlag, E-onyx-mlag); `of` tells them apart.
std::string pair_mac(std::string_view of, Platform platform);
// The number of a bond at a pair, by its lowest port at the first of the two switches.
std::int64_t channel_number(std::string_view port);

}  // namespace fabric
