#include "engine/provider/leftover.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "engine/provider/kernel_parameters.hpp"
#include "engine/provider/peers.hpp"

namespace fabric {

namespace {

constexpr const char* kReason = "the document no longer asks for it";

using Kind = std::pair<NodeName, std::string>;

Kind kind_of(const Resource& resource) {
  return {resource.address.node, resource.address.kind};
}

void add_attributes(Resource& resource, const Resource& leftover) {
  for (const auto& [name, nothing] : leftover.desired)
    resource.desired.emplace(name, DesiredAttribute{{}, resource.origin, kReason});
}

bool is_of_network(const Resource& resource, const std::string& network) {
  const auto found = resource.binding.find("network");
  return found != resource.binding.end() && to_text(found->second) == network;
}

using NodePairs = std::set<std::pair<NodeName, NodeName>>;

// Who manages a subnet goes when those manage it that are to: a subnet is never without. Two nodes
// that hand over to each other would wait for each other; of these the first one has its way.
void hand_over(Resource& leftover, const std::vector<Resource>& wanted, NodePairs& before) {
  // "ib.cx5.1"
  const std::string& name = leftover.address.name;
  const std::size_t port = name.rfind('.');
  if (port == std::string::npos || port == 0) return;
  const std::string network = name.substr(0, name.rfind('.', port - 1));
  for (const Resource& other : wanted) {
    if (other.address.kind != leftover.address.kind || is_leftover(other)) continue;
    if (!other.binding.contains(kPeers) || other.address.node == leftover.address.node) continue;
    if (!is_of_network(other, network)) continue;
    if (before.contains({leftover.address.node, other.address.node})) continue;
    before.emplace(other.address.node, leftover.address.node);
    leftover.after.push_back(other.address);
  }
}

}  // namespace

bool is_leftover(const Resource& resource) {
  return !resource.desired.empty() &&
         std::all_of(resource.desired.begin(), resource.desired.end(), [](const auto& attribute) {
           return attribute.second.value.is_null();
         });
}

std::vector<Resource> find_leftovers(
    const std::vector<Resource>& wanted,
    const std::vector<NodeFacts>& facts,
    const Registry& registry) {
  std::map<Kind, std::vector<Resource>> groups;
  for (const Resource& resource : wanted)
    groups[kind_of(resource)].push_back(resource);
  std::vector<Resource> leftovers;
  for (const NodeFacts& node : facts) {
    if (!node.reachable()) continue;
    for (const Provider* provider : registry.all()) {
      const std::vector<Resource>& group = groups[{node.node, std::string{provider->kind()}}];
      std::vector<Resource> left = provider->left_behind(group, node);
      std::move(left.begin(), left.end(), std::back_inserter(leftovers));
    }
  }
  std::sort(leftovers.begin(), leftovers.end(), [](const Resource& a, const Resource& b) {
    return a.address < b.address;
  });
  return leftovers;
}

std::vector<Resource> with_leftovers(
    std::vector<Resource> wanted, const std::vector<Resource>& leftovers) {
  std::map<ResourceAddress, std::size_t> index_of;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    index_of.emplace(wanted[i].address, i);
  for (const Resource& leftover : leftovers) {
    const auto [place, is_new] = index_of.emplace(leftover.address, wanted.size());
    if (!is_new) {
      add_attributes(wanted[place->second], leftover);
      continue;
    }
    wanted.push_back(leftover);
    wanted.back().beneath.clear();
    for (auto& [name, attribute] : wanted.back().desired)
      attribute = {{}, {}, kReason};
  }
  NodePairs before;
  for (const Resource& leftover : leftovers) {
    Resource& leaving = wanted[index_of.at(leftover.address)];
    if (!is_leftover(leaving)) continue;
    hand_over(leaving, wanted, before);
    for (const ResourceAddress& below : leftover.beneath) {
      if (const auto found = index_of.find(below); found != index_of.end())
        wanted[found->second].after.push_back(leftover.address);
    }
  }
  hand_over_kernel_parameters(wanted);
  return wanted;
}

}  // namespace fabric
