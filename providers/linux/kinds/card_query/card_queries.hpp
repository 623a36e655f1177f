// SPDX-License-Identifier: Apache-2.0
// Every card of a host queried by one tool (sh/card_query.sh). providers/cards/card_query reads the
// output.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "engine/model/names.hpp"
#include "engine/platform/facts.hpp"
#include "providers/cards/card_settings.hpp"

namespace fabric::providers {

// The help where a locked-down kernel keeps the tool from the card; "" for any other failure.
// `output`: of the whole probe. Source: mstflint issues 416 and 1371, kernel_lockdown(7).
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
