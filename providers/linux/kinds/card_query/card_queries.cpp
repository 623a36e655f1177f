// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/card_query/card_queries.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kLockdown = "== lockdown ";

void read_query(CardSettings& settings, std::string_view output, const std::string& card) {
  const CardQuery query = card_query(output, card);
  if (query.status.empty()) {
    settings.why = fmt::format("{} did not query {}", settings.tool, card);
    return;
  }
  settings.unknown_to_tool = trim(query.text).empty();
  Result<SettingsQuery> parsed = parse_mlxconfig_query(query.text);
  if (parsed) {
    settings.table = std::make_shared<const SettingsTable>(std::move(parsed->tables.front()));
    settings.part_failed = failure_of(*parsed);
  } else {
    settings.why = fmt::format(
        "{} of {} (exit {}): {}{}",
        settings.tool,
        card,
        query.status,
        parsed.error().message,
        way_past_lockdown(output, query.text));
  }
}

SettingsQueries read_queries(std::string_view output) {
  SettingsQueries queries;
  queries.tool = querying_tool(output);
  for (const std::string& card : queried_cards(output)) {
    CardSettings& settings = queries.cards[card];
    settings.tool = queries.tool;
    read_query(settings, output, card);
  }
  return queries;
}

}  // namespace

std::string way_past_lockdown(std::string_view output, std::string_view said) {
  constexpr std::string_view kNotOpened = "ailed to open the device";
  if (said.find(kNotOpened) == std::string_view::npos) return {};
  for (const std::string_view line : split_lines(output)) {
    if (!line.starts_with(kLockdown)) continue;
    return fmt::format(
        "; the kernel is locked down ({}), as Secure Boot has it, and lets no tool reach a card by "
        "itself: load the signed driver of MFT (mst start), or boot a kernel with fwctl (6.15 and "
        "later) and a tool that uses it, or switch Secure Boot off",
        line.substr(kLockdown.size()));
  }
  return {};
}

const SettingsQueries* settings_queries(const NodeFacts& facts) {
  return facts.parsed(kSettingsProbe, read_queries);
}

const SettingsTable* told_table(const NodeFacts& facts, const PciAddress& card) {
  const SettingsQueries* queries = settings_queries(facts);
  if (queries == nullptr) return nullptr;
  const auto found = queries->cards.find(card.str());
  return found == queries->cards.end() ? nullptr : found->second.table.get();
}

}  // namespace fabric::providers
