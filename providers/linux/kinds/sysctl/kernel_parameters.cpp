// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/sysctl/kernel_parameters.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "engine/model/resource_keys.hpp"
#include "engine/model/tuning.hpp"
#include "engine/provider/orphan.hpp"

namespace fabric::providers {

namespace {

using Indexes = std::vector<std::size_t>;

// The resources that set a parameter of a node, and those that it is removed from, sorted by
// address.
struct Users {
  Indexes staying, leaving;
};
// By path, because a key may be spelled in two ways, one of them in an old file.
using UsersByPath = std::map<std::string, Users>;

bool has_parameters(const Resource& resource) {
  return resource.address.kind == kinds::kSysctl || resource.address.kind == kinds::kTuning;
}

bool loses_one(const Resource& resource) {
  return has_parameters(resource) && std::ranges::any_of(resource.desired, [](const auto& each) {
           return each.second.value.is_null();
         });
}

void give_up(Resource& resource, const std::string& path) {
  List keys;
  if (const auto found = resource.binding.find(kTakenOver); found != resource.binding.end())
    keys = *found->second.as_list();
  for (const auto& [key, desired] : resource.desired) {
    if (desired.value.is_null() && sysctl_path(key) == path) keys.emplace_back(key);
  }
  resource.binding.insert_or_assign(std::string{kTakenOver}, std::move(keys));
}

void follow(Resource& orphan, const ResourceAddress& other) {
  if (std::ranges::find(orphan.after, other) == orphan.after.end()) orphan.after.push_back(other);
}

void hand_over(std::vector<Resource>& resources, const std::string& path, const Users& users) {
  for (const std::size_t index : users.leaving) {
    Resource& leaving = resources[index];
    if (users.staying.empty() && index == users.leaving.front()) continue;
    give_up(leaving, path);
    // A resource that stays may take another key over from one that takes over this key.
    if (!is_orphan(leaving)) continue;
    for (const std::size_t other : users.staying)
      follow(leaving, resources[other].address);
  }
}

}  // namespace

void hand_over_kernel_parameters(std::vector<Resource>& resources) {
  std::set<NodeName> nodes;
  for (const Resource& resource : resources) {
    if (loses_one(resource)) nodes.insert(resource.address.node);
  }
  if (nodes.empty()) return;
  Indexes sharing;
  for (std::size_t i = 0; i < resources.size(); ++i) {
    if (!has_parameters(resources[i]) || !nodes.contains(resources[i].address.node)) continue;
    // A file may have one of an earlier plan.
    if (const auto old = resources[i].binding.find(kTakenOver); old != resources[i].binding.end())
      resources[i].binding.erase(old);
    sharing.push_back(i);
  }
  std::ranges::sort(sharing, [&resources](std::size_t a, std::size_t b) {
    return resources[a].address < resources[b].address;
  });
  std::map<NodeName, UsersByPath> users_on;
  for (const std::size_t index : sharing) {
    UsersByPath& users = users_on[resources[index].address.node];
    for (const auto& [key, desired] : resources[index].desired) {
      Users& of_key = users[sysctl_path(key)];
      (desired.value.is_null() ? of_key.leaving : of_key.staying).push_back(index);
    }
  }
  for (const auto& [node, by_path] : users_on) {
    for (const auto& [path, users] : by_path)
      hand_over(resources, path, users);
  }
}

}  // namespace fabric::providers
