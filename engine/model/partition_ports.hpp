// SPDX-License-Identifier: Apache-2.0
// The ports that the members of a partition mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric {

// True if `who` of `members` ("node", "node/1", "node/adapter/1", "ALL") means this member port.
// SELF is the manager's own port and means no other.
bool means_port(std::string_view who, const PortRef& port);

// The ports in `members` on which the network wants IP over InfiniBand.
std::vector<PortRef> ipoib_ports(const NetworkSpec& network, const std::vector<PortRef>& members);
// As above, but only ports that are members of the partition.
std::vector<PortRef> ipoib_ports(
    const NetworkSpec& network,
    const PartitionSpec& partition,
    const std::vector<PortRef>& members);
// Null if the network has no partition of this name.
const PartitionSpec* find_partition(const NetworkSpec& network, std::string_view name);

// The rank of a member: of two about the same port, the higher one counts: ALL, then SELF, then a
// node, then its ports.
std::ptrdiff_t specificity(const PartitionMember& member);

// The P_Key of the default partition, without the bit of full members.
inline constexpr std::int64_t kDefaultPartition = 0x7fff;

bool is_default(const PartitionSpec& partition);

// The members in a manager's file: those of the document, and in the default partition SELF as a
// full member unless SELF or `ALL: full` is there. A manager that is a limited member of it can
// talk to full members only, and no other port would reach the subnet's administration.
std::vector<PartitionMember> members_for_manager(const PartitionSpec& partition);

}  // namespace fabric
