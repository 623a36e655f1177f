// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/orphan.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "engine/base/parallel.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/resource_group.hpp"

namespace fabric {

namespace {

constexpr const char* kReason = "the document no longer asks for it";
constexpr const char* kGivenBack = "the card had it before fabric, and gets it back";

using Kind = std::pair<NodeName, std::string>;

Kind kind_of(const Resource& resource) {
  return {resource.address.node, resource.address.kind};
}

// The desired value of an orphan's attribute: null, or the value of before.
DesiredAttribute end_of(const Resource& orphan, const std::string& attribute) {
  const Map& values = orphan.bound_map(keys::kGiveBack);
  const auto back = values.find(attribute);
  if (back == values.end()) return {{}, {}, kReason};
  return {back->second, {}, kGivenBack};
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

}  // namespace

bool is_orphan(const Resource& resource) {
  return !resource.desired.empty() &&
         std::ranges::all_of(resource.desired, [](const auto& attribute) {
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
  std::ranges::sort(
      orphans, [](const Resource& a, const Resource& b) { return a.address < b.address; });
  return orphans;
}

std::vector<Resource> with_orphans(
    std::vector<Resource> wanted, const std::vector<Resource>& orphans, const Registry& registry) {
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
  for (const Resource& orphan : orphans) {
    if (!is_orphan(wanted[index_of.at(orphan.address)])) continue;
    for (const ResourceAddress& below : orphan.beneath) {
      if (const auto found = index_of.find(below); found != index_of.end())
        wanted[found->second].after.push_back(orphan.address);
    }
  }
  registry.relate(wanted);
  return wanted;
}

}  // namespace fabric
