// SPDX-License-Identifier: Apache-2.0
#include "engine/discovery/snapshot.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "engine/base/check.hpp"
#include "engine/base/parallel.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/provider/missing_ports.hpp"
#include "engine/provider/resource_group.hpp"
#include "engine/provider/support.hpp"
#include "engine/value/digest.hpp"

namespace fabric::discovery {

namespace {

// Resources of one node and one kind.
void observe_group(
    std::span<const Resource* const> wanted,
    const Registry& registry,
    ObservedNode& node,
    Diagnostics& diagnostics) {
  const Provider* provider = registry.find(*wanted.front());
  FABRIC_CHECK(provider != nullptr, "what has no provider is not observed");
  const ResourceGroup group{wanted};
  std::vector<Observation> observations = provider->observe(group.get(), node.facts, diagnostics);
  FABRIC_CHECK(
      observations.size() == wanted.size(), "a provider observes each wanted resource once");
  for (Observation& observation : observations) {
    ResourceAddress address = observation.address;
    node.observations.insert_or_assign(std::move(address), std::move(observation));
  }
}

// `wanted`: of the node, in order.
void observe_node(
    std::span<const Resource* const> wanted,
    const Registry& registry,
    ObservedNode& node,
    Diagnostics& diagnostics) {
  if (!node.facts.reachable()) return;
  const platform::HostPlatform& host = registry.host(node.facts.platform);
  node.platform = &host;
  node.identity = host.identity(node.facts);
  node.session = host.session_path(node.facts);
  node.routing = host.routing_reader();
  for (const Provider* provider : registry.all(node.facts.platform)) {
    if (auto heard = provider->neighbours(node.facts)) node.neighbours = std::move(heard);
    if (auto ports = provider->front_ports(node.facts); !ports.empty())
      node.front_ports = std::move(ports);
  }
  report_missing_ports(node.facts.platform, wanted, node.front_ports, diagnostics);
  for (auto begin = wanted.begin(); begin != wanted.end();) {
    const auto end = std::find_if(begin, wanted.end(), [begin](const Resource* resource) {
      return resource->address.kind != (*begin)->address.kind;
    });
    observe_group({begin, end}, registry, node, diagnostics);
    begin = end;
  }
}

// Resources by node, in order.
using ByNode = std::map<NodeName, std::vector<const Resource*>>;

ByNode observable_by_node(const std::vector<Resource>& resources, const Registry& registry) {
  ByNode by_node;
  for (const Resource& resource : resources) {
    if (is_observable(resource, registry)) by_node[resource.address.node].push_back(&resource);
  }
  for (auto& [node, wanted] : by_node) {
    std::ranges::stable_sort(
        wanted, [](const Resource* a, const Resource* b) { return a->address < b->address; });
  }
  return by_node;
}

Value reading_value(const Reading& reading) {
  if (const Value* known = reading.value(); known != nullptr) return Map{{"known", *known}};
  if (reading.is_absent()) return "absent";
  return Map{{"unknown", reading.why()}};
}

Value attributes_value(const Observation& observation) {
  Map attributes;
  for (const auto& [name, layers] : observation.attributes) {
    Map values;
    for (const Layer layer : {Layer::running, Layer::next_boot, Layer::persistent}) {
      const std::optional<Reading>& reading = layers.layer(layer);
      if (reading) values.emplace(to_string(layer), reading_value(*reading));
    }
    attributes.emplace(name, std::move(values));
  }
  return attributes;
}

}  // namespace

const Observation* Snapshot::find(const ResourceAddress& address) const {
  const auto node = nodes.find(address.node);
  if (node == nodes.end()) return nullptr;
  const auto found = node->second.observations.find(address);
  return found == node->second.observations.end() ? nullptr : &found->second;
}

Snapshot observe(
    const std::vector<Resource>& resources,
    std::vector<NodeFacts> facts,
    const Registry& registry,
    Diagnostics& diagnostics) {
  Snapshot snapshot;
  for (NodeFacts& node : facts) {
    NodeName name = node.node;
    snapshot.nodes.insert_or_assign(std::move(name), ObservedNode{std::move(node), {}});
  }
  const ByNode by_node = observable_by_node(resources, registry);
  struct Task {
    std::span<const Resource* const> wanted;
    ObservedNode* node;
    Diagnostics diagnostics{};
  };
  std::vector<Task> tasks;
  tasks.reserve(snapshot.nodes.size());
  for (auto& [name, node] : snapshot.nodes) {
    const auto wanted = by_node.find(name);
    tasks.push_back({{}, &node});
    if (wanted != by_node.end()) tasks.back().wanted = wanted->second;
  }
  for_each_index(tasks.size(), [&](std::size_t index) {
    Task& task = tasks[index];
    const About about{task.diagnostics, task.node->facts.node};
    observe_node(task.wanted, registry, *task.node, task.diagnostics);
  });
  for (const Task& task : tasks)
    diagnostics.append(task.diagnostics);
  return snapshot;
}

Map inventory_of(const ObservedNode& node, const Registry& registry) {
  Map inventory;
  if (!node.facts.reachable()) return inventory;
  for (const Provider* provider : registry.all(node.facts.platform))
    inventory.merge(provider->inventory(node.facts));
  return inventory;
}

std::map<std::string, Guid> masters_heard(const ObservedNode& node, const Registry& registry) {
  std::map<std::string, Guid> masters;
  if (!node.facts.reachable()) return masters;
  for (const Provider* provider : registry.all(node.facts.platform))
    masters.merge(provider->masters_heard(node.facts));
  return masters;
}

std::string facts_digest(const ObservedNode& node) {
  Map observations;
  for (const auto& [address, observation] : node.observations) {
    observations.emplace(address.str(), attributes_value(observation));
  }
  return sha256(Value{
      Map{{"machine_id", node.identity.machine_id},
          {"host_key", node.facts.host_key_fingerprint},
          {"observations", std::move(observations)}}});
}

}  // namespace fabric::discovery
