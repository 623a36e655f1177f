// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/machine/partitions.hpp"

namespace fabric::lab {
namespace {

std::optional<bool> member_of(
    const PartitionRule& rule, std::uint64_t port, std::uint64_t manager) {
  const auto found = rule.members.find(port);
  if (found != rule.members.end()) return found->second;
  if (port == manager && rule.self) return rule.self;
  return rule.all;
}

}  // namespace

std::vector<std::uint16_t> partition_keys(
    const PartitionRules& rules, std::uint64_t port, std::uint64_t manager) {
  std::vector<std::uint16_t> keys;
  for (const auto& [key, rule] : rules) {
    const std::optional<bool> full = member_of(rule, port, manager);
    if (!full) continue;
    const auto shown = static_cast<std::uint16_t>(key | (*full ? kFullMember : 0));
    keys.insert(key == kDefaultKey ? keys.begin() : keys.end(), shown);
  }
  return keys;
}

}  // namespace fabric::lab
