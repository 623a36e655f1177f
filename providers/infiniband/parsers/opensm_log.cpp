// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/parsers/opensm_log.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/lists.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kArrow = " -> ";
constexpr std::string_view kConfigured = " tables configured on all switches";
constexpr std::string_view kNone = "No routing engine able";
constexpr std::string_view kError = ": ERR ";
constexpr std::size_t kWordsBefore = 6;  // month, day, time, microseconds, thread, level
constexpr std::size_t kMostErrors = 8;

constexpr std::string_view kEntering = "Entering ";
constexpr std::string_view kState = " state";
constexpr std::string_view kExiting = "Exiting SM";

// "Nov 20 08:01:19"
std::string time_of(std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  return fmt::format("{} {} {}", words[0], words[1], words[2]);
}

void read_state(std::string_view line, std::string_view message, OpensmLog& log) {
  if (message == kExiting) log.state.reset();
  if (!message.starts_with(kEntering) || !message.ends_with(kState)) return;
  message.remove_prefix(kEntering.size());
  message.remove_suffix(std::min(kState.size(), message.size()));
  if (!log.state || log.state->state != message)
    log.state = StateRecord{std::string{message}, time_of(line)};
}

// The message of a record; empty if the line begins no record.
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
  while (!text.empty()) {
    const std::string_view line = take_line(text);
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
    read_state(line, message, log);
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
  if (log.state)
    value.emplace("state", Map{{"state", log.state->state}, {"since", log.state->since}});
  if (!log.routing) return value;
  Map routing{{"errors", to_list(log.routing->errors)}};
  if (!log.routing->engine.empty()) routing.emplace("engine", log.routing->engine);
  value.emplace("routing", std::move(routing));
  return value;
}

}  // namespace fabric::providers
