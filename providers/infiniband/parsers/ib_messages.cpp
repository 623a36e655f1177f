// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/parsers/ib_messages.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "providers/parsers/lines.hpp"

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

Result<std::monostate> add_note(
    std::vector<ToolNote>& notes, std::size_t number, std::string_view line) {
  constexpr std::size_t kMost = 100'000;
  if (notes.size() == kMost)
    return error_at(number, fmt::format("more than {} lines that describe no port", kMost));
  notes.push_back({number, std::string{line}});
  return std::monostate{};
}

Result<std::monostate> check_size(std::size_t nodes, std::size_t ports, std::size_t number) {
  if (nodes > limits::kSubnetPorts || ports > limits::kSubnetPorts)
    return error_at(number, fmt::format("more than {} nodes or ports", limits::kSubnetPorts));
  return std::monostate{};
}

}  // namespace fabric::providers
