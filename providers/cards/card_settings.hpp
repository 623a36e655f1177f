// SPDX-License-Identifier: Apache-2.0
// The settings of one card of a node: the tool's table, and fabric's record on the node.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

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

}  // namespace fabric::providers
