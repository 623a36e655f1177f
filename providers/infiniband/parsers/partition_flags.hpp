// SPDX-License-Identifier: Apache-2.0
// Words of partitions.conf: OpenSM takes any beginning of a word for the word, in its own order.
// Part of partitions_conf.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"

namespace fabric::providers {

// "mtu = 5" as name and value, blanks removed; nullopt: no "=".
struct PartitionWord {
  std::string_view name;
  std::optional<std::string_view> value;
};

PartitionWord partition_word(std::string_view text);

// A number as C reads it: 0x for hexadecimal. One that C would take for octal is refused (nullopt).
std::optional<std::uint64_t> c_number(std::string_view text);

// Where warnings go, with the line that is being read.
struct PartitionWarnings {
  std::vector<ToolNote>* list;
  std::size_t line;

  void add(std::string text) const { list->push_back({line, std::move(text)}); }
};

// False: no flag of a group. A value that OpenSM would skip is a warning and is left out.
bool read_group_flag(
    const PartitionWord& word, PartitionGroupFlags& flags, const PartitionWarnings& warnings);

// A flag of the definition: ipoib, defmember, indx0 or one of the group.
void read_partition_flag(
    const PartitionWord& word, Partition& partition, const PartitionWarnings& warnings);

// "ALL=full", "0x12ab". Nullopt: nothing, as between two commas, or NONE.
Result<std::optional<PartitionMember>> read_member(
    const PartitionWord& word,
    PartitionMembership default_membership,
    const PartitionWarnings& warnings);

}  // namespace fabric::providers
