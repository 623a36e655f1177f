// SPDX-License-Identifier: Apache-2.0
// Every card of a host queried by one tool: the script of such a probe. What it prints is read by
// providers/cards/card_query.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "engine/model/names.hpp"
#include "engine/platform/facts.hpp"
#include "providers/cards/card_settings.hpp"

namespace fabric::providers {

// Of function 0 of each Mellanox card: what is asked belongs to the card, not to a port. A query
// that hangs on a sick card must not take the other probes with it. `tools`: names or paths, the
// first that is there is $tool. `prepare` runs once. `query` runs for each card, whose folder in
// sysfs is $d, and ends with the command that asks, behind $limit; one that must not be asked ends
// with "== status REASON" and `continue`.
std::string card_query_script(
    std::string_view tools, std::string_view prepare, std::string_view query);

// What helps where a locked-down kernel is why the tool said that it can't open the card; "" where
// that is not why. `output`: of the whole probe. Source: mstflint issues 416 and 1371,
// kernel_lockdown(7).
std::string way_past_lockdown(std::string_view output, std::string_view said);

inline constexpr std::string_view kSettingsProbe = "mlxconfig";

// What the tool for settings printed, by card: without what files of the host tell.
struct SettingsQueries {
  std::string tool;  // "" = the node has none
  std::map<std::string, CardSettings, std::less<>> cards;
};
// Read once of what many hosts print alike, and good for as long as the facts; null if the probe
// did not run.
const SettingsQueries* settings_queries(const NodeFacts& facts);
// The tool's table of one card; null if it printed none.
const SettingsTable* told_table(const NodeFacts& facts, const PciAddress& card);

}  // namespace fabric::providers
