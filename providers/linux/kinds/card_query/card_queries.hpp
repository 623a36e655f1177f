// SPDX-License-Identifier: Apache-2.0
// The query of every card of a host by one tool (sh/card_query.sh). providers/cards/card_query
// reads the output.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "engine/model/names.hpp"
#include "engine/platform/facts.hpp"
#include "providers/cards/card_settings.hpp"

namespace fabric::providers {

// The help for a tool that a locked-down kernel keeps from the card; "" for any other failure.
// `output`: of the whole probe. Source: mstflint issues 416 and 1371, kernel_lockdown(7).
std::string way_past_lockdown(std::string_view output, std::string_view said);

inline constexpr std::string_view kSettingsProbe = "mlxconfig";

// The output of the settings tool for each card, without facts from files of the host.
struct SettingsQueries {
  std::string tool;  // "" = the node has none
  std::map<std::string, CardSettings, std::less<>> cards;
};
// Parsed once for hosts with equal output; valid as long as the facts. Null if the probe did not
// run.
const SettingsQueries* settings_queries(const NodeFacts& facts);
// The tool's table of one card; null if the tool printed none.
const SettingsTable* told_table(const NodeFacts& facts, const PciAddress& card);

}  // namespace fabric::providers
