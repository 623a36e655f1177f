// SPDX-License-Identifier: Apache-2.0
// The schemas that are compiled into the program, by name: "fabric", "plan", "lab", "facts",
// "events".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fabric::schema {

// The JSON text of schemas/<name>.schema.json, or "" if there is none.
std::string_view find_schema(std::string_view name);
// The text of schemas/<file_name>, e.g. "hardware.json", or "" if there is none.
std::string_view find_table(std::string_view file_name);
std::vector<std::string> schema_names();

}  // namespace fabric::schema
