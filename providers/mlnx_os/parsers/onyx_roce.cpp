// SPDX-License-Identifier: Apache-2.0
#include "providers/mlnx_os/parsers/onyx_roce.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/lists.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

// "switch-priority 3"
std::optional<std::int64_t> priority_in(std::string_view key) {
  const std::vector<std::string_view> words = split_words(key);
  if (words.size() != 2 || words[0] != "switch-priority") return std::nullopt;
  const auto priority = parse_unsigned(words[1], 10);
  if (!priority || *priority > 7) return std::nullopt;
  return static_cast<std::int64_t>(*priority);
}

}  // namespace

Result<OnyxRoce> parse_onyx_roce(std::string_view text) {
  OnyxRoce roce;
  std::size_t number = 0;
  bool told = false;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (trim(line).starts_with('%'))
      return error_at(number, fmt::format("the switch says: {}", trim(line)));
    const auto entry = key_value(line);
    if (!entry) continue;
    if (entry->key == "RoCE mode") {
      told = true;
      roce.mode = entry->value == "N/A" ? "" : std::string{entry->value};
    } else if (entry->key == "Port trust mode") {
      roce.trust = entry->value;
    } else if (entry->key == "Mode") {
      roce.congestion_mode = to_lower(entry->value);
    } else if (const auto priority = priority_in(entry->key)) {
      if (entry->value.starts_with("enabled")) roce.pfc.push_back(*priority);
    }
  }
  if (!told) return error_at(number, "'RoCE mode' is missing");
  std::sort(roce.pfc.begin(), roce.pfc.end());
  return roce;
}

Value to_value(const OnyxRoce& roce) {
  Map map{{"mode", roce.mode.empty() ? "off" : roce.mode}};
  if (!roce.trust.empty()) map.emplace("trust", roce.trust);
  if (!roce.congestion_mode.empty()) map.emplace("congestion_mode", roce.congestion_mode);
  map.emplace("pfc", to_list(roce.pfc));
  return map;
}

}  // namespace fabric::providers
