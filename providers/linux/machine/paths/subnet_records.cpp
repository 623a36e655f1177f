// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/paths/subnet_records.hpp"

#include "engine/base/text.hpp"

namespace fabric::platform {

std::optional<std::vector<SubnetRecord>> read_subnet_records(
    std::string_view text, std::string_view heading) {
  std::vector<SubnetRecord> records;
  for (const std::string_view raw : split_lines(text)) {
    const std::string_view line = trim(raw);
    if (line.starts_with(heading)) {
      records.emplace_back();
      continue;
    }
    const std::size_t dots = line.find("..");
    if (records.empty() || dots == std::string_view::npos) continue;
    const std::size_t value = line.find_first_not_of('.', dots);
    records.back().emplace_back(
        line.substr(0, dots), value == std::string_view::npos ? "" : trim(line.substr(value)));
  }
  if (records.empty()) return std::nullopt;
  return records;
}

}  // namespace fabric::platform
