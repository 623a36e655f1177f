// SPDX-License-Identifier: Apache-2.0
// The parameters that a card lists, in mstconfig's order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/lab/card/card.hpp"

namespace fabric::lab {

enum class ParameterKind : std::uint8_t { boolean, number, choice, array };

struct Parameter {
  std::string name;  // with its port's suffix: "LINK_TYPE_P1"
  ParameterKind kind = ParameterKind::number;
  std::vector<std::pair<std::string, std::uint64_t>> choices;
  std::uint64_t standard = 0;
  std::uint64_t most = 0;    // of a number; 0 = no limit
  std::uint32_t length = 0;  // of an array
  std::uint32_t since = 0;   // tool version that learnt it, as tool_version_number
};

// 4.26.1 is 4026.
std::uint32_t tool_version_number(std::string_view version);

// The parameters that the card shows now; some appear only after others were set.
std::vector<Parameter> parameters_of(const Card& card);
// "ETH(2)", "16", "True(1)", "Array[0..7]"
std::string value_text(const Parameter& parameter, std::uint64_t value);
// From text that a person writes: a name in any case or a number. nullopt: unknown value.
std::optional<std::uint64_t> parse_value(const Parameter& parameter, std::string_view text);
// "NAME[3]"
std::string element_name(const std::string& array, std::uint64_t index);

// Sets parameters of the card, for the next boot, and with `running` for now too. Names that are no
// parameter of the card are ignored.
void apply_settings(Card& card, const std::map<std::string, std::string>& settings, bool running);

}  // namespace fabric::lab
