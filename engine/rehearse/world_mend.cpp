// SPDX-License-Identifier: Apache-2.0
// Part of a simulated fabric: an operator mends the broken parts.
#include <algorithm>

#include "engine/rehearse/world.hpp"

namespace fabric::rehearse {

void World::want_all() {
  scene_.limit.clear();
  scene_.unreached.clear();
}

bool World::reboot_own() {
  const auto own = std::find_if(nodes_.begin(), nodes_.end(), [&](const NodeName& node) {
    return !scene_.own.machine_id.empty() && lab_.identity(node) == scene_.own.machine_id;
  });
  if (own == nodes_.end()) return false;
  note(TraceLine::Kind::host, own->str() + " is rebooted by its operator");
  reboot({*own});
  return true;
}

void World::reboot(const std::set<NodeName>& nodes) {
  for (const NodeName& node : nodes)
    lab_.perform(node, "root", lab::RebootOrder{});
  wait_until_up();
}

std::set<NodeName> World::booted() const {
  std::set<NodeName> nodes;
  for (const auto& [node, boots] : boots_)
    if (boots > 0) nodes.insert(node);
  return nodes;
}

void World::clear_faults() {
  note(TraceLine::Kind::host, "all faults are repaired");
  lab_.set_fault_percent(0);
  watching_.set_host_keys(scene_.host_keys);
  choose_nodes();
  for (const NodeName& node : lab_.nodes()) {
    if (scene_.unreached.contains(node)) continue;
    if (!lab_.set_fault(node, lab::Fault::none)) violation("a fault can't be cleared");
  }
  wait_until_up();
  mend_edits();
}

void World::wait_until_up() {
  // Longer than any boot, slow ones included.
  constexpr Duration kAllUp{3'600'000};
  runner_.start({0, lab_.nodes().front(), remote::step::Pause{kAllUp}});
  while (!runner_.wait_any(kAllUp)) {
  }
}

}  // namespace fabric::rehearse
