// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/orphan.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "engine/base/parallel.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/kernel_parameters.hpp"
#include "engine/provider/peers.hpp"
#include "engine/provider/resource_group.hpp"

namespace fabric {

namespace {

constexpr const char* kReason = "the document no longer asks for it";
constexpr const char* kGivenBack = "the card had it before fabric, and gets it back";

using Kind = std::pair<NodeName, std::string>;

Kind kind_of(const Resource& resource) {
  return {resource.address.node, resource.address.kind};
}

// It shall not be there, or be again as it was before fabric.
DesiredAttribute end_of(const Resource& orphan, const std::string& attribute) {
  const auto back = orphan.binding.find(keys::kGiveBack);
  const Map* values = back == orphan.binding.end() ? nullptr : back->second.as_map();
  if (values == nullptr || !values->contains(attribute)) return {{}, {}, kReason};
  return {values->find(attribute)->second, {}, kGivenBack};
}

void add_attributes(Resource& resource, const Resource& orphan) {
  for (const auto& [name, nothing] : orphan.desired) {
    DesiredAttribute end = end_of(orphan, name);
    end.source = resource.origin;
    resource.desired.emplace(name, std::move(end));
  }
  if (const auto back = orphan.binding.find(keys::kGiveBack); back != orphan.binding.end())
    resource.binding.insert_or_assign(back->first, back->second);
}

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

// Of "ib.cx5.1" on n1: "ib", ".cx5.1" and "n1/cx5/1". Empty: no such name.
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

// A manager of a subnet goes when the managers that are to stay manage the subnet: a subnet is
// never without one, whatever its network is called now. Two nodes that hand over to each other
// would wait for each other; of these the first one does not wait. A port has one manager: a
// manager that comes to a port waits for the one that goes, and that one goes when the managers
// that come before its heir manage the subnet.
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

bool is_orphan(const Resource& resource) {
  return !resource.desired.empty() &&
         std::all_of(resource.desired.begin(), resource.desired.end(), [](const auto& attribute) {
           return attribute.second.value.is_null();
         });
}

std::vector<Resource> find_orphans(
    const std::vector<Resource>& wanted,
    const std::vector<NodeFacts>& facts,
    const Registry& registry) {
  std::map<Kind, std::vector<const Resource*>> groups;
  for (const Resource& resource : wanted)
    groups[kind_of(resource)].push_back(&resource);
  std::vector<std::vector<Resource>> of_node(facts.size());
  for_each_index(facts.size(), [&](std::size_t index) {
    const NodeFacts& node = facts[index];
    if (!node.reachable()) return;
    for (const Provider* provider : registry.all(node.platform)) {
      const auto found = groups.find({node.node, std::string{provider->kind}});
      std::span<const Resource* const> members;
      if (found != groups.end()) members = found->second;
      std::vector<Resource> left = provider->orphans(ResourceGroup{members}.get(), node);
      for (Resource& each : left)
        each.platform = node.platform;
      std::move(left.begin(), left.end(), std::back_inserter(of_node[index]));
    }
  });
  std::vector<Resource> orphans;
  for (std::vector<Resource>& left : of_node)
    std::move(left.begin(), left.end(), std::back_inserter(orphans));
  std::sort(orphans.begin(), orphans.end(), [](const Resource& a, const Resource& b) {
    return a.address < b.address;
  });
  return orphans;
}

std::vector<Resource> with_orphans(
    std::vector<Resource> wanted, const std::vector<Resource>& orphans) {
  std::map<ResourceAddress, std::size_t> index_of;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    index_of.emplace(wanted[i].address, i);
  for (const Resource& orphan : orphans) {
    const auto [place, is_new] = index_of.emplace(orphan.address, wanted.size());
    if (!is_new) {
      add_attributes(wanted[place->second], orphan);
      continue;
    }
    wanted.push_back(orphan);
    wanted.back().beneath.clear();
    for (auto& [name, attribute] : wanted.back().desired.edit())
      attribute = end_of(orphan, name);
  }
  std::vector<Resource*> managers;
  for (Resource& resource : wanted) {
    if (resource.binding.contains(keys::kPeers) && !is_orphan(resource))
      managers.push_back(&resource);
  }
  NodePairs before;
  for (const Resource& orphan : orphans) {
    Resource& leaving = wanted[index_of.at(orphan.address)];
    if (!is_orphan(leaving)) continue;
    hand_over(leaving, managers, before);
    for (const ResourceAddress& below : orphan.beneath) {
      if (const auto found = index_of.find(below); found != index_of.end())
        wanted[found->second].after.push_back(orphan.address);
    }
  }
  hand_over_kernel_parameters(wanted);
  return wanted;
}

}  // namespace fabric
