// SPDX-License-Identifier: Apache-2.0
// RHEL's ifcfg files: KEY=value lines of a shell, sourced by initscripts and read by
// NetworkManager.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.hpp"

namespace fabric::providers {

struct IfcfgEntry {
  std::string key, value;  // quotes resolved
  std::size_t line = 1;
};

struct IfcfgFile {
  std::vector<IfcfgEntry> entries;  // in order; the last of equal keys counts
  // The first line that is no assignment: "line 3: ...".
  std::optional<Error> error;

  // The value of `key`; "" if there is none.
  std::string value(std::string_view key) const;
  std::size_t line(std::string_view key) const;  // 1 if there is none
};

IfcfgFile read_ifcfg(std::string_view text);

}  // namespace fabric::providers
