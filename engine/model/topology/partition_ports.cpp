// SPDX-License-Identifier: Apache-2.0
#include "engine/model/topology/partition_ports.hpp"

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
  const bool is_said =
      std::any_of(members.begin(), members.end(), [](const PartitionMember& member) {
        return member.who == "SELF" || (member.who == "ALL" && member.full.value);
      });
  if (is_default(partition) && !is_said)
    members.push_back({"SELF", partition.range, {true, partition.range}});
  return members;
}

}  // namespace fabric
