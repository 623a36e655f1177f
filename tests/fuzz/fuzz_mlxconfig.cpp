// SPDX-License-Identifier: Apache-2.0
// Any bytes as the output of mlxconfig: either a located refusal or tables whose rows have just the
// columns of their header, and JSON that reads back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/base/check.hpp"
#include "engine/value/json.hpp"
#include "providers/parsers/mlxconfig_query.hpp"

namespace fabric::providers {
namespace {

void check_row(const SettingsTable& table, const SettingRow& row) {
  FABRIC_CHECK(!row.name.empty(), "a row has a name");
  FABRIC_CHECK(row.default_value.has_value() == table.has_default, "default as in the header");
  FABRIC_CHECK(row.current.has_value() == table.has_current, "current as in the header");
  FABRIC_CHECK(row.next_boot.has_value() == table.has_next_boot, "next boot as in the header");
  FABRIC_CHECK(table.find(row.name) == &row, "names are unique in a table");
  for (const auto& cell : {row.default_value, row.current, row.next_boot, row.requested}) {
    if (!cell) continue;
    FABRIC_CHECK(cell->find_first_of("% \t\n") == std::string::npos, "a value is one whole word");
    FABRIC_CHECK(setting_number(*cell).value_or(0) >= 0, "numbers are unsigned");
    FABRIC_CHECK(setting_name(*cell).size() <= cell->size(), "a name is part of its value");
  }
}

void read_output(std::string_view text) {
  const Result<SettingsQuery> query = parse_mlxconfig_query(text);
  if (!query) {
    FABRIC_CHECK(query.error().code == ErrorCode::invalid, "a refusal is of the input");
    FABRIC_CHECK(query.error().message.starts_with("line "), "a refusal has its line");
    return;
  }
  FABRIC_CHECK(!query->tables.empty(), "no table is a refusal");
  for (const SettingsTable& table : query->tables) {
    for (const SettingRow& row : table.rows)
      check_row(table, row);
  }
  FABRIC_CHECK(parse_json(to_json(to_value(*query))).has_value(), "what is printed reads back");
}

}  // namespace
}  // namespace fabric::providers

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{data, data + size};
  fabric::providers::read_output(text);
  return 0;
}
