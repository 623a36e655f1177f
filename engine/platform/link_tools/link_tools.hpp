// SPDX-License-Identifier: Apache-2.0
// Parsers of ethtool's and mlxlink's output for one link. Each refuses other text, with the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/platform/link_readings.hpp"

namespace fabric::platform {

// `ethtool DEV`: link, speed, the fastest mode, auto-negotiation (E-link-speed).
struct LinkSettings {
  std::optional<bool> has_link;
  std::optional<std::uint64_t> speed_mbps, capable_mbps;
  std::optional<bool> auto_negotiation;
};
Result<LinkSettings> parse_link_settings(std::string_view text);

// `ethtool [-I] --show-fec DEV`, with the words of older releases too (E-link-fec).
Result<FecReading> parse_fec(std::string_view text);

// `ethtool -m DEV`: SFP, QSFP and their successors; the words of old and new releases
// (E-link-module).
Result<ModuleReading> parse_module(std::string_view text);

// `mlxlink -d DEVICE -m -c` or `mstlink`, as text (E-mlxlink). Values that a module does not show
// are missing here.
struct CardLink {
  std::string state;     // "Active"
  std::string speed;     // "IB-NDR", "100G"
  std::string fec;       // the card's own word
  std::string why_down;  // the card's recommendation; "" = no issue
  std::optional<double> raw_ber, effective_ber;
  std::optional<ModuleReading> module;
};
Result<CardLink> parse_mlxlink(std::string_view text);

// Texts of lines "KEY : VALUE", as ethtool and mlxlink print them: keys are padded, headings have
// no colon, and one key may stand several times.

struct KeyValue {
  std::string_view key;    // trimmed
  std::string_view value;  // trimmed; may be empty
};
// A line without a colon continues the value before it where it is indented deeper than that key,
// as the link modes of ethtool do: such lines come with the key of the first one. Other lines
// without a colon are left out. The parts refer to the text.
std::vector<KeyValue> key_values(std::string_view text);
// The value of the first line with that key; "" if there is none.
std::string_view value_of(const std::vector<KeyValue>& lines, std::string_view key);

}  // namespace fabric::platform
