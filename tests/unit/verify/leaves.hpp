// SPDX-License-Identifier: Apache-2.0
// Hosts with two ports at two switches that hear each other: every pair of them is pinged.
#pragma once

#include <string>
#include <utility>

#include "engine/verify/verify.hpp"

#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {

inline PortRef leaf(int number, int which) {
  return {*NodeName::parse("leaf" + std::to_string(number)), "", std::to_string(which)};
}

inline CableSpec cable(const PortRef& a, const PortRef& b) {
  return {{a, {}}, {b, {}}, {}, {}, {}, {}, {}};
}

// Port w of each host to leaf w, and the leaves to each other. An address at every port, of which a
// bond takes the first.
inline FabricSpec leaves(int nodes, Mode mode) {
  FabricSpec spec = ring(nodes);
  NetworkSpec& network = spec.networks.at("storage");
  network.mode.value = mode;
  network.cables.clear();
  for (int which : {1, 2}) {
    NodeSpec added = bare_node(leaf(which, 1).node);
    added.platform.value = Platform::unmanaged;
    spec.nodes.emplace(added.name, added);
    for (int n = 1; n <= nodes; ++n)
      network.cables.push_back(cable(port(n, which), leaf(which, n)));
  }
  network.cables.push_back(cable(leaf(1, 40), leaf(2, 40)));
  if (mode == Mode::lag) {
    network.lag.emplace();
    network.lag->bond.value = "bond0";
    network.lag->policy.value = "802.3ad";
  }
  if (mode == Mode::infiniband) {
    network.mtu.value = 4096;
    network.ipoib.emplace();
    std::swap(network.ipoib->ipv4, network.ipv4);
  }
  return spec;
}

inline void set_bond(
    discovery::Snapshot& snapshot, int number, Reading mode, std::int64_t mtu = 9000) {
  Observation bond{{node(number), "bond", "bond0"}, {}};
  bond.attributes["mode"].running = std::move(mode);
  bond.attributes["mtu"].running = Reading::of(mtu);
  snapshot.nodes.at(node(number)).observations.insert_or_assign(bond.address, bond);
}

inline discovery::Snapshot with_bonds(int nodes) {
  discovery::Snapshot snapshot = healthy(nodes);
  for (int n = 1; n <= nodes; ++n) {
    snapshot.nodes.at(node(n)) = observed(n, link_state(n), "");
    set_bond(snapshot, n, Reading::of("802.3ad"));
  }
  return snapshot;
}

}  // namespace fabric::verify::test
