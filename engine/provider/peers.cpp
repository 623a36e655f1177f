// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/peers.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/orphan.hpp"

namespace fabric {

namespace {

const List* peers_of(const Resource& resource) {
  const auto peers = resource.binding.find(keys::kPeers);
  return peers == resource.binding.end() ? nullptr : peers->second.as_list();
}

// The ports of resources by kind and network.
using Kin = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

Kin kin_of(const std::vector<Resource>& resources) {
  Kin kin;
  for (const Resource& resource : resources) {
    if (!resource.binding.contains(keys::kNetwork) || !resource.binding.contains(keys::kPort))
      continue;
    kin[{resource.address.kind, resource.bound_text(keys::kNetwork)}].push_back(
        resource.address.node.str() + "/" + resource.bound_text(keys::kAdapter) + "/" +
        resource.bound_text(keys::kPort));
  }
  return kin;
}

// "n1/cx5/1" of "n1/subnet_manager/ib.cx5.1".
std::string port_of(const ResourceAddress& address) {
  const std::vector<std::string_view> words = split(address.name, '.');
  if (words.size() < 2) return {};
  return fmt::format("{}/{}/{}", address.node.str(), words[words.size() - 2], words.back());
}

// The leaving ports by kind.
std::map<std::string, List> leaving_of(const std::vector<Resource>& resources) {
  std::map<std::string, List> leaving;
  for (const Resource& resource : resources) {
    const std::string port = is_orphan(resource) ? port_of(resource.address) : "";
    if (!port.empty()) leaving[resource.address.kind].emplace_back(port);
  }
  return leaving;
}

}  // namespace

PortGuids all_port_guids(
    const std::vector<Resource>& resources,
    const std::map<NodeName, const NodeFacts*>& reached,
    const Registry& registry) {
  PortGuids all;
  for (const Resource& resource : resources) {
    const Provider* provider = registry.find(resource);
    const auto node = reached.find(resource.address.node);
    if (provider == nullptr || node == reached.end()) continue;
    all.merge(provider->port_guids(resource, *node->second));
  }
  return all;
}

namespace {

// The GUIDs that managers of nodes have recorded for ports that no node shows now. A GUID that
// another port has by now does not belong to this port, and of two recorded ones it is unknown
// which is right.
PortGuids noted_guids(
    const std::vector<Resource>& resources,
    const std::map<NodeName, const NodeFacts*>& reached,
    const Registry& registry,
    const PortGuids& shown) {
  std::set<std::string> taken;
  for (const auto& [port, guid] : shown)
    taken.insert(guid);
  std::map<std::string, std::set<std::string>> noted;
  for (const Resource& resource : resources) {
    const Provider* provider = registry.find(resource);
    const auto node = reached.find(resource.address.node);
    if (provider == nullptr || node == reached.end()) continue;
    for (const auto& [port, guid] : provider->noted_guids(resource, *node->second))
      if (!shown.contains(port) && !taken.contains(guid)) noted[port].insert(guid);
  }
  PortGuids known;
  for (const auto& [port, guids] : noted)
    if (guids.size() == 1) known.emplace(port, *guids.begin());
  return known;
}

}  // namespace

Bindings port_guid_bindings(
    const std::vector<Resource>& resources,
    const std::vector<NodeFacts>& facts,
    const Registry& registry,
    const PortGuids& seen) {
  Bindings bindings;
  const bool needed = std::ranges::any_of(
      resources, [](const Resource& each) { return peers_of(each) != nullptr; });
  if (!needed) return bindings;
  std::map<NodeName, const NodeFacts*> reached;
  for (const NodeFacts& node : facts) {
    if (node.reachable()) reached.emplace(node.node, &node);
  }
  PortGuids all = all_port_guids(resources, reached, registry);
  all.insert(seen.begin(), seen.end());
  const PortGuids noted = noted_guids(resources, reached, registry, all);
  const Kin kin = kin_of(resources);
  const std::map<std::string, List> leaving = leaving_of(resources);
  for (const Resource& resource : resources) {
    const List* peers = peers_of(resource);
    if (peers == nullptr) continue;
    std::vector<std::string> ports;
    for (const Value& peer : *peers)
      ports.push_back(to_text(peer));
    const auto own = kin.find({resource.address.kind, resource.bound_text(keys::kNetwork)});
    if (own != kin.end()) ports.insert(ports.end(), own->second.begin(), own->second.end());
    Map known = resource.bound_map(keys::kDeclaredGuids);
    for (const std::string& port : ports) {
      if (const auto found = all.find(port); found != all.end()) {
        known.insert_or_assign(found->first, found->second);
      } else if (const auto note = noted.find(port); note != noted.end()) {
        known.emplace(note->first, note->second);
      }
    }
    Map& binding = bindings[resource.address];
    binding.emplace(keys::kPortGuids, std::move(known));
    if (const auto going = leaving.find(resource.address.kind); going != leaving.end())
      binding.emplace(keys::kLeaving, going->second);
  }
  return bindings;
}

}  // namespace fabric
