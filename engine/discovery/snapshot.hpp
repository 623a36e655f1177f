// SPDX-License-Identifier: Apache-2.0
// Snapshot: facts of all nodes and what they say about the resources of a document.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/names.hpp"
#include "engine/model/resource.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/host_routing.hpp"
#include "engine/platform/identity.hpp"
#include "engine/platform/neighbour.hpp"
#include "engine/platform/net_device.hpp"
#include "engine/platform/session_path.hpp"
#include "engine/provider/observation.hpp"
#include "engine/provider/registry.hpp"

namespace fabric::discovery {

struct ObservedNode {
  NodeFacts facts;
  std::map<ResourceAddress, Observation> observations;  // empty if unreachable
  // As its platform reads them from the facts; nothing is known of a node that was not reached.
  platform::Identity identity{};
  platform::SessionPath session{};
  // Null of a node that was not reached.
  const platform::HostPlatform* platform = nullptr;
  // What its ports hear, where a provider tells it and not the platform.
  std::optional<std::vector<Neighbour>> neighbours{};
  std::vector<NetDevice> front_ports{};  // of a switch (Provider::front_ports)
  // Reads of the facts how it chooses by which port it sends; null where its platform can't tell.
  platform::RoutingReader routing = nullptr;
};

struct Snapshot {
  std::map<NodeName, ObservedNode> nodes;
  const Observation* find(const ResourceAddress& address) const;
};

// Pure. `facts` may hold nodes that have no resource and lack nodes that have some. Resources that
// no provider can tell anything of (provider/support.hpp) have no observation.
Snapshot observe(
    const std::vector<Resource>& resources,
    std::vector<NodeFacts> facts,
    const Registry& registry,
    Diagnostics& diagnostics);

// What the providers of its platform list, all in one (Provider::inventory); nothing of a node that
// was not reached.
Map inventory_of(const ObservedNode& node, const Registry& registry);

// Provider::masters_heard, of all providers of its platform.
std::map<std::string, Guid> masters_heard(const ObservedNode& node, const Registry& registry);

// Digest of the normalised observations and the identity, without times and counters.
std::string facts_digest(const ObservedNode& node);

}  // namespace fabric::discovery
