#include "providers/parsers/opensm_log.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kArrow = " -> ";
constexpr std::string_view kConfigured = " tables configured on all switches";
constexpr std::string_view kNone = "No routing engine able";
constexpr std::string_view kError = ": ERR ";
constexpr std::size_t kWordsBefore = 6;  // month, day, time, microseconds, thread, level
constexpr std::size_t kMostErrors = 8;

// What a record says; empty if the line begins none.
std::string_view message_of(std::string_view line) {
  const std::size_t arrow = line.find(kArrow);
  if (arrow == std::string_view::npos) return {};
  const std::vector<std::string_view> words = split_words(line.substr(0, arrow));
  const bool record = words.size() == kWordsBefore && words[4].starts_with('[') &&
                      words[4].ends_with(']') && words[5].starts_with("0x");
  return record ? trim(line.substr(arrow + kArrow.size())) : std::string_view{};
}

}  // namespace

Result<OpensmLog> parse_opensm_log(std::string_view text) {
  OpensmLog log;
  std::vector<std::string> errors;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (trim(line).empty()) continue;
    const std::string_view message = message_of(line);
    if (message.empty()) {
      if (log.records > 0) continue;
      constexpr std::size_t kShown = 60;
      return error_at(
          number, fmt::format("'{}' is no line of OpenSM's log", line.substr(0, kShown)));
    }
    ++log.records;
    if (message.find(kError) != std::string_view::npos) {
      if (errors.size() == kMostErrors) errors.erase(errors.begin());
      errors.emplace_back(message);
    }
    const std::size_t configured = message.find(kConfigured);
    const bool none = message.find(kNone) != std::string_view::npos;
    if (configured == std::string_view::npos && !none) continue;
    const std::string_view before = none ? "" : message.substr(0, configured);
    // "osm_ucast_mgr_process: ftree"
    const std::size_t blank = before.rfind(' ');
    const std::string_view engine =
        blank == std::string_view::npos ? before : before.substr(blank + 1);
    log.routing = RoutingRecord{std::string{engine}, std::exchange(errors, {})};
  }
  return log;
}

Value to_value(const OpensmLog& log) {
  Map value{{"records", log.records}};
  if (!log.routing) return value;
  List errors;
  for (const std::string& error : log.routing->errors)
    errors.emplace_back(error);
  Map routing{{"errors", std::move(errors)}};
  if (!log.routing->engine.empty()) routing.emplace("engine", log.routing->engine);
  value.emplace("routing", std::move(routing));
  return value;
}

}  // namespace fabric::providers
