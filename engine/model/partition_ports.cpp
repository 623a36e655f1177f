// SPDX-License-Identifier: Apache-2.0
#include "engine/model/partition_ports.hpp"

#include <algorithm>

#include "engine/base/text.hpp"

namespace fabric {

bool means_port(std::string_view who, const PortRef& port) {
  if (who == "ALL") return true;
  const std::vector<std::string_view> parts = split(who, '/');
  if (parts.front() != port.node.str()) return false;
  const bool whole_node = parts.size() == 1;
  const bool port_only = parts.size() == 2 && port.port == parts[1];
  return whole_node || port_only || port.str() == who;
}

std::vector<PortRef> ipoib_ports(const NetworkSpec& network, const std::vector<PortRef>& members) {
  if (!network.ipoib || network.ipoib->ports.empty()) return members;
  std::vector<PortRef> chosen;
  for (const PortRef& port : members) {
    const auto& listed = network.ipoib->ports;
    const bool is_listed =
        std::ranges::any_of(listed, [&](const auto& each) { return each.value == port; });
    if (is_listed) chosen.push_back(port);
  }
  return chosen;
}

std::vector<PortRef> ipoib_ports(
    const NetworkSpec& network,
    const PartitionSpec& partition,
    const std::vector<PortRef>& members) {
  std::vector<PortRef> ports = ipoib_ports(network, members);
  std::erase_if(ports, [&partition](const PortRef& port) {
    return std::ranges::none_of(partition.members, [&](const PartitionMember& member) {
      return means_port(member.who, port);
    });
  });
  return ports;
}

const PartitionSpec* find_partition(const NetworkSpec& network, std::string_view name) {
  const auto found = std::ranges::find_if(
      network.partitions, [&](const PartitionSpec& each) { return each.name == name; });
  return found == network.partitions.end() ? nullptr : &*found;
}

std::ptrdiff_t specificity(const PartitionMember& member) {
  if (member.who == "ALL") return 0;
  if (member.who == "SELF") return 1;
  return 2 + std::count(member.who.begin(), member.who.end(), '/');
}

bool is_default(const PartitionSpec& partition) {
  return partition.pkey.value != PartitionSpec::kUnreadable &&
         (partition.pkey.value & kDefaultPartition) == kDefaultPartition;
}

std::vector<PartitionMember> members_for_manager(const PartitionSpec& partition) {
  std::vector<PartitionMember> members = partition.members;
  const bool is_said = std::ranges::any_of(members, [](const PartitionMember& member) {
    return member.who == "SELF" || (member.who == "ALL" && member.full.value);
  });
  if (is_default(partition) && !is_said)
    members.push_back({"SELF", partition.range, {true, partition.range}});
  return members;
}

}  // namespace fabric
