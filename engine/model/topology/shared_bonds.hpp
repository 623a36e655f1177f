// SPDX-License-Identifier: Apache-2.0
// Switches that are one to hosts: pairs of MLAG, and those that share bonds by EVPN multihoming.
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
  // LACP's system, and the number of the segment under it. The place is that of the key that says
  // it, else of the switch that comes first by name, from whose lowest port the number follows.
  Sourced<std::string> mac;
  Sourced<std::int64_t> id;
};

// Of a network of mode lag; a bond that ends at one switch alone has no segment.
std::vector<SharedBond> shared_bonds(const FabricSpec& spec, const NetworkSpec& network);
// The id that the key `segment` of one of its switches says; none: nothing.
std::optional<Sourced<std::int64_t>> written_segment(const NodeSpec& node, const SharedBond& bond);

// Each once, the one first that comes first by name.
std::set<std::pair<NodeName, NodeName>> paired_switches(const FabricSpec& spec);

// In the range that the maker has set aside for such addresses (E-nvue-mlag, E-onyx-mlag); `of`
// tells them apart.
std::string pair_mac(std::string_view of, Platform platform);
// The number of a bond at a pair by its lowest port at the first of the two.
std::int64_t channel_number(std::string_view port);

}  // namespace fabric
