// SPDX-License-Identifier: Apache-2.0
// The settings of one card of a node: the tool's table, and fabric's record on the node.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/provider/observation.hpp"
#include "providers/parsers/mlxconfig_query.hpp"

namespace fabric::providers {

// The record of what fabric set on a card that can't show what it runs with (I13).
struct SettingsRecord {
  std::map<std::string, std::string, std::less<>> values;  // parameter: number or name
  std::string boot_id;  // of the boot in which they were set; "" = not known, so proves nothing
  // The files as they are now, for a rollback; nullopt = there is no file.
  std::optional<std::string> record_file, boot_id_file;
};

struct CardSettings {
  std::string tool;                            // "mstconfig"; "" = the node has none
  std::shared_ptr<const SettingsTable> table;  // null: see why
  bool lacks_tool = false;                     // a tool was looked for, and the node has none
  Need needs{};                                // with it the table could be read
  std::string why;                             // "no table of settings; the tool says: ..."
  std::string part_failed;       // the tool's message on a part that its table lacks; "" = whole
  bool unknown_to_tool = false;  // the tool is there and prints nothing of this card
  SettingsRecord record;
  std::string boot_id;  // the running boot; "" = unknown
  // The file of former values (former_values.hpp), and of the boot since which some are given back.
  std::optional<std::string> before_file, given_back_file;
  std::string given_back_in;  // "" = not known
};

// The output of a probe that queries every card of a host by one tool: "== tool NAME", then for
// each card "== card NAME", the tool's output and "== status NUMBER".
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
