// SPDX-License-Identifier: Apache-2.0
// Snapshot: facts of all nodes and the observations of the document's resources from them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/names.hpp"
#include "engine/model/resource.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/host_network.hpp"
#include "engine/platform/identity.hpp"
#include "engine/platform/neighbour.hpp"
#include "engine/provider/observation.hpp"
#include "engine/provider/registry.hpp"

namespace fabric::discovery {

struct ObservedNode {
  NodeFacts facts;
  std::map<ResourceAddress, Observation> observations;  // empty if unreachable
  // Read by its platform from the facts; empty for a node that was not reached.
  platform::Identity identity{};
  platform::SessionPath session{};
  // Null if the node was not reached.
  const platform::HostPlatform* platform = nullptr;
  // The neighbours of its ports, if a provider reads them and not the platform.
  std::optional<std::vector<Neighbour>> neighbours{};
  std::vector<NetDevice> front_ports{};  // ports of a switch (Provider::front_ports)
  // Reads from the facts how the node chooses the port for its packets; null if its platform can't.
  platform::RoutingReader routing = nullptr;
};

struct Snapshot {
  std::map<NodeName, ObservedNode> nodes;
  const Observation* find(const ResourceAddress& address) const;
};

// Pure. `facts` may hold nodes without a resource and lack nodes with some. Resources that no
// provider can observe (provider/support.hpp) have no observation.
Snapshot observe(
    const std::vector<Resource>& resources,
    std::vector<NodeFacts> facts,
    const Registry& registry,
    Diagnostics& diagnostics);

// The inventory by all providers of the node's platform (Provider::inventory); empty for a node
// that was not reached.
Map inventory_of(const ObservedNode& node, const Registry& registry);

// Provider::masters_heard of all providers of the node's platform.
std::map<std::string, Guid> masters_heard(const ObservedNode& node, const Registry& registry);

// A digest of the normalised observations and the identity, without times and counters.
std::string facts_digest(const ObservedNode& node);

}  // namespace fabric::discovery
