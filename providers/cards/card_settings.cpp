// SPDX-License-Identifier: Apache-2.0
#include "providers/cards/card_settings.hpp"

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kTool = "== tool ";
constexpr std::string_view kCard = "== card ";
constexpr std::string_view kStatus = "== status ";

}  // namespace

std::string querying_tool(std::string_view output) {
  std::string tool;
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with(kTool)) tool = line.substr(kTool.size());
  }
  return tool;
}

std::set<std::string> queried_cards(std::string_view output) {
  std::set<std::string> cards;
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with(kCard)) cards.emplace(line.substr(kCard.size()));
  }
  return cards;
}

CardQuery card_query(std::string_view output, std::string_view card) {
  CardQuery query;
  bool inside = false;
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with(kCard)) {
      inside = line.substr(kCard.size()) == card;
    } else if (inside && line.starts_with(kStatus)) {
      query.status = line.substr(kStatus.size());
      return query;
    } else if (inside) {
      query.text += std::string{line} + "\n";
    }
  }
  return query;
}

}  // namespace fabric::providers
