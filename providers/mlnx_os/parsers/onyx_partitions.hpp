// SPDX-License-Identifier: Apache-2.0
// `show ib partition` of MLNX-OS, in both layouts: before 3.6.8010 "PKey      = 0x7FFF", since then
// "PKey : 0x7FFF".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

struct OnyxPartition {
  std::string name;
  std::uint16_t pkey = 0;  // without the membership bit
  std::optional<bool> ipoib;
  struct Member {
    std::string who;         // "ALL", "e4:1d:2d:03:00:15:6e:80" in lower case
    std::string membership;  // "full", "limited", "both"
    friend bool operator==(const Member&, const Member&) = default;
  };
  std::vector<Member> members;  // in order
};

// Fails with ErrorCode::invalid, "line N: ...", on a line that begins with "%", on a text without a
// partition, since the default one always exists, and on a partition without its key.
Result<std::vector<OnyxPartition>> parse_onyx_partitions(std::string_view text);
Value to_value(const std::vector<OnyxPartition>& partitions);

}  // namespace fabric::providers
