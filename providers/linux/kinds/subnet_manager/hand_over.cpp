// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/subnet_manager/hand_over.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "engine/model/resource_keys.hpp"
#include "engine/provider/orphan.hpp"

namespace fabric::providers {

namespace {

bool is_of_network(const Resource& resource, const std::string& network) {
  const auto found = resource.binding.find(keys::kNetwork);
  return found != resource.binding.end() && to_text(found->second) == network;
}

using NodePairs = std::set<std::pair<NodeName, NodeName>>;

bool has_peer(const Resource& resource, const std::string& port) {
  const auto found = resource.binding.find(keys::kPeers);
  const List* peers = found == resource.binding.end() ? nullptr : found->second.as_list();
  return peers != nullptr && std::any_of(peers->begin(), peers->end(), [&](const Value& peer) {
           return to_text(peer) == port;
         });
}

// The parts of "ib.cx5.1" on n1: "ib", ".cx5.1" and "n1/cx5/1". Empty for other names.
struct ManagerPlace {
  std::string network, on_port, port;
};

ManagerPlace place_of(const ResourceAddress& address) {
  const std::string& name = address.name;
  const std::size_t port = name.rfind('.');
  const std::size_t adapter =
      port == std::string::npos || port == 0 ? std::string::npos : name.rfind('.', port - 1);
  if (adapter == std::string::npos) return {};
  return {
      name.substr(0, adapter),
      name.substr(adapter),
      address.node.str() + "/" + name.substr(adapter + 1, port - adapter - 1) + "/" +
          name.substr(port + 1)};
}

// A manager is removed when the managers that stay manage its subnet, so that a subnet is never
// without one, whatever its network is called now. Two nodes that hand over to each other would
// wait for each other; of these the first one does not wait. A port has one manager: a manager that
// comes to a port waits until the old one is removed, and that one is removed when the managers
// that come before its successor manage the subnet.
void hand_over(Resource& orphan, std::vector<Resource*>& managers, NodePairs& before) {
  const ManagerPlace place = place_of(orphan.address);
  const NodeName& node = orphan.address.node;
  Resource* heir = nullptr;
  std::vector<const Resource*> others;
  for (Resource* manager : managers) {
    if (manager->address.kind != orphan.address.kind) continue;
    if (!is_of_network(*manager, place.network) && !has_peer(*manager, place.port)) continue;
    if (manager->address.node != node) {
      others.push_back(manager);
    } else if (heir == nullptr || manager->address.name.ends_with(place.on_port)) {
      heir = manager;
    }
  }
  if (heir != nullptr && !heir->address.name.ends_with(place.on_port)) {
    orphan.after.push_back(heir->address);
    return;
  }
  for (const Resource* other : others) {
    const bool comes_first =
        heir == nullptr ||
        std::find(heir->after.begin(), heir->after.end(), other->address) != heir->after.end();
    if (!comes_first || before.contains({node, other->address.node})) continue;
    before.emplace(other->address.node, node);
    orphan.after.push_back(other->address);
  }
  if (heir != nullptr) heir->after.push_back(orphan.address);
}

}  // namespace

void hand_over_subnets(std::vector<Resource>& resources) {
  std::vector<Resource*> managers;
  std::vector<Resource*> leaving;
  for (Resource& resource : resources) {
    if (is_orphan(resource)) {
      if (resource.address.kind == kinds::kSubnetManager) leaving.push_back(&resource);
    } else if (resource.binding.contains(keys::kPeers)) {
      managers.push_back(&resource);
    }
  }
  NodePairs before;
  for (Resource* each : leaving)
    hand_over(*each, managers, before);
}

}  // namespace fabric::providers
