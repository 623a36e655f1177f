// SPDX-License-Identifier: Apache-2.0
// Every card of a host queried by one tool: the script of such a probe, and what it prints.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace fabric::providers {

// Of function 0 of each Mellanox card: what is asked belongs to the card, not to a port. A query
// that hangs on a sick card must not take the other probes with it. `tools`: names or paths, the
// first that is there is $tool. `prepare` runs once. `query` runs for each card, whose folder in
// sysfs is $d, and ends with the command that asks, behind $limit; one that must not be asked ends
// with "== status REASON" and `continue`.
std::string card_query_script(
    std::string_view tools, std::string_view prepare, std::string_view query);

// The tool that was found; "" = none.
std::string querying_tool(std::string_view output);

// What the tool said of one card, by its PCI address, and what it ended with.
struct CardQuery {
  std::string text;
  std::string status;  // "0", "connectx-3"; "" = there is no whole query of this card
};
CardQuery card_query(std::string_view output, std::string_view card);
// Whose query has begun, each once.
std::set<std::string> queried_cards(std::string_view output);

// What helps where a locked-down kernel is why the tool said that it can't open the card; "" where
// that is not why. `output`: of the whole probe. Source: mstflint issues 416 and 1371,
// kernel_lockdown(7).
std::string way_past_lockdown(std::string_view output, std::string_view said);

}  // namespace fabric::providers
