// SPDX-License-Identifier: Apache-2.0
#include "plans/manager_moves.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "engine/provider/action_methods.hpp"
#include "plans/reboots.hpp"

namespace fabric::plans {

namespace {

constexpr const char* kManagerKind = "subnet_manager";
constexpr const char* kMaster = "master";

bool is_master(const ResourceAddress& manager, const discovery::Snapshot& snapshot) {
  const auto node = snapshot.nodes.find(manager.node);
  if (node == snapshot.nodes.end()) return false;
  const auto observed = node->second.observations.find(manager);
  if (observed == node->second.observations.end()) return false;
  const auto state = observed->second.attributes.find("state");
  return state != observed->second.attributes.end() && state->second.running &&
         state->second.running->equals(kMaster);
}

// "ib" of "ib.cx5.1": a manager that is to go shows its network only in its name.
std::string network_of(const Resource& manager) {
  const std::string& name = manager.address.name;
  const std::size_t port = name.rfind('.');
  return port == std::string::npos || port == 0 ? name : name.substr(0, name.rfind('.', port - 1));
}

bool ends_manager(const Action& action, const ResourceAddress& manager) {
  if (action.draft.kind == methods::kReboot) return action.node == manager.node;
  const auto& covers = action.covers;
  return (action.draft.kind == methods::kManagerStop ||
          action.draft.kind == methods::kManagerStart) &&
         std::find(covers.begin(), covers.end(), manager) != covers.end();
}

}  // namespace

std::uint32_t manager_moves(
    const std::vector<Action>& actions,
    const ResourceIndex& resources,
    const discovery::Snapshot& snapshot) {
  std::map<std::string, std::uint32_t> managers_of;
  std::vector<const Resource*> masters;
  for (std::size_t index = 0; index < resources.size(); ++index) {
    const Resource& resource = resources.at(index);
    if (resource.address.kind != kManagerKind) continue;
    ++managers_of[network_of(resource)];
    if (is_master(resource.address, snapshot)) masters.push_back(&resource);
  }
  std::uint32_t moves = 0;
  for (const Resource* master : masters) {
    if (managers_of.at(network_of(*master)) < 2) continue;
    moves += static_cast<std::uint32_t>(
        std::count_if(actions.begin(), actions.end(), [&](const Action& action) {
          return ends_manager(action, master->address);
        }));
  }
  return moves;
}

}  // namespace fabric::plans
