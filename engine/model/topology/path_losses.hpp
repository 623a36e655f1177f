// SPDX-License-Identifier: Apache-2.0
// Pairs of addresses that work, and those that an outage takes from hosts that stay up.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/topology/reachability.hpp"

namespace fabric::reach {

// A network and the parts of it that are away now.
struct NetworkNow {
  std::string network;
  Fabric fabric;
  Away away;
};

struct Losses {
  // Numbers of pairs of addresses that worked before, of hosts that are not away after it.
  std::size_t worked = 0, lost = 0, unknown = 0;
  // Pairs of hosts with a pair of addresses that worked: their number, and those with none left.
  std::size_t host_pairs = 0;
  std::vector<std::pair<NodeName, NodeName>> apart;
  std::vector<AddressPair> left;  // pairs that still work, in order
  std::string example;  // "pve1/cx5/1 and pve2/cx5/2: the answer leaves by ..."; "" = none is lost
};

// Returns pairs in order.
std::vector<AddressPair> working_pairs(const Fabric& fabric, const Away& away);
// `working`: the pairs to judge.
Losses losses_of(const Fabric& fabric, const std::vector<AddressPair>& working, const Away& after);
// The losses with these nodes and ends away too.
Losses losses_without(
    const NetworkNow& now, const std::set<NodeName>& nodes, const std::set<PortRef>& dark = {});

}  // namespace fabric::reach
