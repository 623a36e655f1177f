// SPDX-License-Identifier: Apache-2.0
// The table that `mstconfig q` and `mlxconfig q` print, of all versions and layouts, and the table
// that `set` prints before it asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// One parameter. The values are as the tool printed them: "ETH(2)", "8", "N/A", "Array[0..7]". A
// column that the table does not have is nullopt.
struct SettingRow {
  std::string name;        // "LINK_TYPE_P1", "HOST_CHAINING_DESCRIPTORS[0]"
  bool marked = false;     // '*': next differs from default or from current
  bool read_only = false;  // "RO"
  std::optional<std::string> default_value, current, next_boot, requested;
};

struct SettingsTable {
  // Values of the lines above the table; "" if missing.
  std::string device_type, name, description, device;
  bool has_default = false, has_current = false, has_next_boot = false;
  std::vector<SettingRow> rows;

  const SettingRow* find(std::string_view parameter) const;
};

struct SettingsQuery {
  std::vector<SettingsTable> tables;  // one for each device; never empty
  // Messages of the tool around the tables, errors too: if it could not read all parameters it
  // prints a table and fails.
  std::vector<std::string> notes;
};

// Fails with ErrorCode::invalid, "line N: ...", if there is no table or a row has another shape
// than its header.
Result<SettingsQuery> parse_mlxconfig_query(std::string_view text);

// The tool's message about parameters that it could not read, "-E- ..."; "" = it read all.
std::string failure_of(const SettingsQuery& query);

// The number of a value: 2 for "ETH(2)", 8 for "8". Nullopt for "N/A" and placeholders. Names
// differ between versions of the tool; numbers don't.
std::optional<std::int64_t> setting_number(std::string_view value);
// The name before the number: "ETH" for "ETH(2)"; "" for "8".
std::string_view setting_name(std::string_view value);

Value to_value(const SettingsQuery& query);

}  // namespace fabric::providers
