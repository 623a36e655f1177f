// SPDX-License-Identifier: Apache-2.0
// Files of [Section] and Key=value, as systemd's tools read them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabric::lab {

// Sections in order, each with its keys in order.
struct IniSection {
  std::string name;
  std::vector<std::pair<std::string, std::string>> keys;
};
std::vector<IniSection> parse_ini(std::string_view content);

}  // namespace fabric::lab
