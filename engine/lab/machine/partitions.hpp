// SPDX-License-Identifier: Apache-2.0
// Partitions of an InfiniBand subnet, as its manager hands them out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace fabric::lab {

inline constexpr std::uint16_t kDefaultKey = 0x7fff;
inline constexpr std::uint16_t kFullMember = 0x8000;

struct PartitionRule {
  bool ipoib = false;
  std::uint32_t mtu = 2048;               // of its IPoIB group, in bytes
  std::optional<bool> all;                // ALL=full: true, ALL=limited: false
  std::optional<bool> self;               // of the manager's own port
  std::map<std::uint64_t, bool> members;  // by port GUID
};
// From P_Key without bit 15.
using PartitionRules = std::map<std::uint16_t, PartitionRule>;

// The P_Key table of a port, the default partition's key first.
std::vector<std::uint16_t> partition_keys(
    const PartitionRules& rules, std::uint64_t port, std::uint64_t manager);

}  // namespace fabric::lab
