// SPDX-License-Identifier: Apache-2.0
// partitions.conf, the partitions of a subnet, as OpenSM reads it. OpenSM ignores the whole file
// for one mistake and then makes every port a full member of the default partition, so the reader
// refuses what OpenSM refuses, and warns of entries that OpenSM silently skips or changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/names.hpp"
#include "engine/value/value.hpp"
#include "providers/infiniband/parsers/ib_messages.hpp"

namespace fabric::providers {

// OpenSM reads this many characters of a line and takes the rest as another line.
inline constexpr std::size_t kPartitionLineLimit = 4094;

// `both` counts only with `allow_both_pkeys TRUE` in opensm.conf.
enum class PartitionMembership : std::uint8_t { limited, full, both };

std::string_view membership_name(PartitionMembership membership);

enum class PartitionKeyword : std::uint8_t { all, all_cas, all_switches, all_routers, self };

// "ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF".
std::string_view keyword_name(PartitionKeyword keyword);

struct PartitionMember {
  // Exactly one of both has a value.
  std::optional<PartitionKeyword> keyword;
  std::optional<Guid> port;
  PartitionMembership membership = PartitionMembership::limited;
  std::size_t line = 1;
};

// Flags of a multicast group; nullopt is OpenSM's default, in an `mgid` the flag of its partition.
struct PartitionGroupFlags {
  std::optional<std::int64_t> mtu;   // code of IBTA: 1 = 256, 2 = 512, ..., 5 = 4096 bytes
  std::optional<std::int64_t> rate;  // code of IBTA: 3 = 10 Gb/s, 7 = 40, 16 = 100, ...
  std::optional<std::int64_t> sl;    // 0 to 15
  std::optional<std::int64_t> q_key, tclass, flow_label;
  std::vector<std::int64_t> scopes;  // 1 to 15; each makes a group of its own
};

struct PartitionGroup {
  std::string mgid;  // as IPv6 text in its shortest form, "ff12:401b::16"
  PartitionGroupFlags flags;
  std::size_t line = 1;
};

// One definition. Several may have the same P_Key; OpenSM then joins them.
struct Partition {
  std::string name;                    // "" = none
  std::optional<std::uint16_t> p_key;  // 15 bits, 0x0001 to 0x7fff; nullopt: OpenSM makes one up
  bool ipoib = false;                  // there is a broadcast group, with `flags`
  bool index0 = false;
  PartitionMembership default_membership = PartitionMembership::limited;
  PartitionGroupFlags flags;
  std::vector<PartitionMember> members;
  std::vector<PartitionGroup> groups;
  std::size_t line = 1;
};

struct PartitionsConf {
  std::vector<Partition> partitions;  // in order
  std::vector<ToolNote> warnings;     // with their lines
};

// Fails with ErrorCode::invalid, "line N: ...". No partition at all is no failure.
Result<PartitionsConf> parse_partitions_conf(std::string_view text);
Value to_value(const PartitionsConf& conf);

}  // namespace fabric::providers
