// SPDX-License-Identifier: Apache-2.0
// What a probe printed that queries every card of a host by one tool: "== tool NAME", then for each
// "== card NAME", what the tool says and "== status NUMBER".
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace fabric::providers {

// The tool that was found; "" = none.
std::string querying_tool(std::string_view output);

// The tool's output for one card, by its PCI address, and its exit status.
struct CardQuery {
  std::string text;
  std::string status;  // "0", "connectx-3"; "" = there is no whole query of this card
};
CardQuery card_query(std::string_view output, std::string_view card);
// The cards whose query has begun, each once.
std::set<std::string> queried_cards(std::string_view output);

}  // namespace fabric::providers
