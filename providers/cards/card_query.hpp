// SPDX-License-Identifier: Apache-2.0
// The output of a probe that queries every card of a host by one tool: "== tool NAME", then for
// each card "== card NAME", the tool's output and "== status NUMBER".
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace fabric::providers {

// The name of the tool that the probe found; "" = none.
std::string querying_tool(std::string_view output);

// The tool's output and exit status for one card, by its PCI address.
struct CardQuery {
  std::string text;
  std::string status;  // "0", "connectx-3"; "" = there is no whole query of this card
};
CardQuery card_query(std::string_view output, std::string_view card);
// The PCI addresses of the cards whose query has begun.
std::set<std::string> queried_cards(std::string_view output);

}  // namespace fabric::providers
