#include "engine/discovery/snapshot.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "engine/base/check.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/platform/support.hpp"
#include "engine/value/digest.hpp"

namespace fabric::discovery {

namespace {

// Resources of one node and one kind.
void observe_group(
    std::span<const Resource> wanted,
    const Registry& registry,
    Snapshot& snapshot,
    Diagnostics& diagnostics) {
  const auto node = snapshot.nodes.find(wanted.front().address.node);
  if (node == snapshot.nodes.end() || !node->second.facts.reachable()) return;
  const Provider* provider = registry.find(wanted.front());
  FABRIC_CHECK(provider != nullptr, "what has no provider is not observed");
  std::vector<Observation> observations =
      provider->observe(wanted, node->second.facts, diagnostics);
  FABRIC_CHECK(
      observations.size() == wanted.size(), "a provider observes each wanted resource once");
  for (Observation& observation : observations) {
    ResourceAddress address = observation.address;
    node->second.observations.insert_or_assign(std::move(address), std::move(observation));
  }
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
    ObservedNode observed{std::move(node), {}};
    if (observed.facts.reachable()) {
      const platform::HostPlatform& host = registry.host(observed.facts.platform);
      observed.identity = host.identity(observed.facts);
      observed.session = host.session_path(observed.facts);
    }
    snapshot.nodes.insert_or_assign(std::move(name), std::move(observed));
  }
  std::vector<Resource> ordered;
  ordered.reserve(resources.size());
  std::copy_if(
      resources.begin(), resources.end(), std::back_inserter(ordered), [&](const Resource& each) {
        return is_observable(each, registry);
      });
  std::stable_sort(ordered.begin(), ordered.end(), [](const Resource& a, const Resource& b) {
    return a.address < b.address;
  });
  for (auto begin = ordered.begin(); begin != ordered.end();) {
    const auto end = std::find_if(begin, ordered.end(), [begin](const Resource& resource) {
      return resource.address.node != begin->address.node ||
             resource.address.kind != begin->address.kind;
    });
    observe_group({begin, end}, registry, snapshot, diagnostics);
    begin = end;
  }
  return snapshot;
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
