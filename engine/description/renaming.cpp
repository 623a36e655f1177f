// SPDX-License-Identifier: Apache-2.0
#include "engine/description/renaming.hpp"

#include <algorithm>
#include <utility>

namespace fabric::description {

namespace {

using Other = std::function<std::optional<End>(const End&)>;

void change_addresses(Addresses& addresses, const Other& other) {
  std::map<End, std::string> changed;
  for (const auto& [end, address] : addresses.of) {
    if (const std::optional<End> now = other(end)) changed.emplace(*now, address);
  }
  addresses.of = std::move(changed);
}

void change_list(std::vector<End>& ends, const Other& other) {
  std::erase_if(ends, [&other](End& end) {
    const std::optional<End> now = other(end);
    if (now) end = *now;
    return !now;
  });
}

}  // namespace

void change_ends(Network& network, const Other& other) {
  std::erase_if(network.cables, [&other](Cable& cable) {
    const std::optional<End> a = other(cable.a);
    const std::optional<End> b = other(cable.b);
    if (!a || !b) return true;
    cable.a = *a;
    cable.b = *b;
    return false;
  });
  change_list(network.ports, other);
  std::erase_if(network.managers, [&other](Manager& manager) {
    const std::optional<End> now = other(manager.at);
    if (now) manager.at = *now;
    return !now;
  });
  for (Partition& partition : network.partitions) {
    std::erase_if(partition.members, [&other](PartitionMember& member) {
      if (!member.keyword.empty()) return false;
      const std::optional<End> now = other(member.at);
      if (now) member.at = *now;
      return !now;
    });
  }
  change_addresses(network.ipv4, other);
  change_addresses(network.ipv6, other);
  for (auto& [name, vlan] : network.vlans)
    change_addresses(vlan.ipv4, other);
  for (Ipoib& ipoib : network.ipoib) {
    change_addresses(ipoib.ipv4, other);
    change_list(ipoib.ports, other);
  }
}

bool rename_node(Description& description, const std::string& from, const std::string& to) {
  if (from == to) return true;
  if (!description.nodes.contains(from) || description.nodes.contains(to)) return false;
  auto node = description.nodes.extract(from);
  node.key() = to;
  description.nodes.insert(std::move(node));
  for (auto& [name, each] : description.nodes) {
    for (Mlag& mlag : each.mlag)
      if (mlag.peer == from) mlag.peer = to;
  }
  for (auto& [name, network] : description.networks) {
    change_ends(network, [&](End end) -> std::optional<End> {
      if (end.node == from) end.node = to;
      return end;
    });
    std::replace(network.roots.begin(), network.roots.end(), from, to);
  }
  return true;
}

}  // namespace fabric::description
