// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers/infiniband/ib_messages.hpp"

#include <algorithm>

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

bool has(std::string_view line, std::string_view part) {
  return line.find(part) != std::string_view::npos;
}

// "./libibnetdisc/ibnetdisc.c:807; Failed to resolve self"
bool names_a_source_line(std::string_view line) {
  const std::size_t end = line.find(".c:");
  if (end == std::string_view::npos) return false;
  const std::string_view after = line.substr(end + 3);
  const std::size_t digits = std::min(after.find_first_not_of("0123456789"), after.size());
  return digits > 0 && after.substr(digits).starts_with(';') &&
         line.substr(0, end).find_first_of(" \t\"") == std::string_view::npos;
}

}  // namespace

bool is_diagnostic(std::string_view line) {
  return line.starts_with("ibwarn: ") || line.starts_with("ibdebug: ") ||
         line.starts_with("DR path ") || is_fatal(line) || names_a_source_line(line);
}

bool is_fatal(std::string_view line) {
  return has(line, ": iberror: ") || line.starts_with("iberror: ");
}

}  // namespace fabric::providers
