// SPDX-License-Identifier: Apache-2.0
// Which pairs of addresses work, and which of them an outage takes from hosts that it leaves alone.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/topology/reachability.hpp"

namespace fabric::reach {

struct LostAddressPair {
  AddressPair pair;
  Verdict verdict;
};

struct NetworkLosses {
  std::string network;
  // Of pairs of addresses that worked before, of hosts that are not away after it.
  std::size_t worked = 0, lost = 0, unknown = 0;
  std::vector<LostAddressPair> pairs;  // those that are lost, in order
  // Of hosts with a pair of addresses that worked: all, and those to which none is left.
  std::size_t host_pairs = 0;
  std::vector<std::pair<NodeName, NodeName>> apart;
};

// In order of network; a network in which nothing worked is left out.
std::vector<NetworkLosses> losses_between(
    const Fabric& fabric, const Away& before, const Away& after);

}  // namespace fabric::reach
