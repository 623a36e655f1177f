// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/parsers/opensm.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/subnet/observed_topology.hpp"
#include "engine/value/lists.hpp"
#include "providers/parsers/line_cursor.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

// OpenSM reads so many characters of a line and takes the rest for another one.
constexpr std::size_t kLineLimit = 1022;

bool is_key(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string_view unquoted(std::string_view text) {
  const bool is_quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                         text.front() == text.back();
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

const OpensmOption* OpensmConf::find(std::string_view key) const {
  const auto found =
      std::find_if(options.rbegin(), options.rend(), [key](const OpensmOption& option) {
        return option.key == key;
      });
  return found == options.rend() ? nullptr : &*found;
}

Result<OpensmConf> parse_opensm_conf(std::string_view text) {
  OpensmConf conf;
  std::unordered_map<std::string, std::size_t> seen;
  std::size_t number = 0;
  for (const std::string_view each : split_lines(text)) {
    ++number;
    const std::string_view line = trim(each);
    if (line.empty() || line.front() == '#') continue;
    if (each.size() > kLineLimit)
      return error_at(
          number, fmt::format("longer than the {} characters OpenSM reads", kLineLimit));
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view key = line.substr(0, end);
    const std::string_view value = trim(line.substr(end));
    if (!is_key(key)) return error_at(number, fmt::format("'{}' is no name of an option", key));
    if (value.empty()) return error_at(number, fmt::format("'{}' has no value", key));
    OpensmOption option{std::string{key}, std::nullopt, number, std::nullopt};
    if (value != "(null)") option.value = unquoted(value);
    const auto [known, is_new] = seen.emplace(option.key, number);
    if (!is_new) option.repeats_line = known->second;
    known->second = number;
    conf.options.push_back(std::move(option));
  }
  return conf;
}

Value to_value(const OpensmConf& conf) {
  List options;
  Map values;
  for (const OpensmOption& option : conf.options) {
    const Value value = option.value ? Value{*option.value} : Value{};
    Map map{
        {"key", option.key}, {"value", value}, {"line", static_cast<std::int64_t>(option.line)}};
    if (option.repeats_line)
      map.emplace("repeats_line", static_cast<std::int64_t>(*option.repeats_line));
    options.emplace_back(std::move(map));
    values.insert_or_assign(option.key, value);
  }
  return Map{{"options", std::move(options)}, {"values", std::move(values)}};
}

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

namespace {

constexpr std::string_view kAnswer = "sminfo: sm lid ";
constexpr std::int64_t kLargestLid = 65535;
constexpr std::int64_t kLargestPriority = 15;

struct State {
  std::string_view printed, name;
};

// In the order of SmState and of the number that is printed beside it.
constexpr State kStates[] = {
    {"SMINFO_NOTACT", "not-active"},
    {"SMINFO_DISCOVER", "discovering"},
    {"SMINFO_STANDBY", "standby"},
    {"SMINFO_MASTER", "master"},
};

struct Reason {
  std::string_view text;
  SmFailure failure;
};

// The first that occurs anywhere decides: a refused MAD ends in "failed: query" too.
constexpr Reason kReasons[] = {
    {"Operation not permitted", SmFailure::not_permitted},
    {"Permission denied", SmFailure::not_permitted},
    {"can't open UMAD port", SmFailure::no_device},
    {"Failed to open", SmFailure::no_device},
    {"failed to find", SmFailure::no_device},
    {"can't resolve destination port", SmFailure::not_resolved},
    {"failed: query", SmFailure::no_answer},
};

// "sminfo: sm lid 1 sm guid 0x100001, activity count 295 priority 10 state 3 SMINFO_MASTER"
std::optional<SubnetManager> manager_of(std::string_view line) {
  LineCursor cursor{line};
  cursor.take(kAnswer);
  const auto lid = cursor.number();
  const auto guid = cursor.take("sm guid") ? cursor.hexadecimal() : std::nullopt;
  std::optional<std::int64_t> activity;
  if (cursor.take(", activity count"))
    activity = parse_integer(cursor.word());  // of 32 bits, unsigned
  const auto priority = cursor.take("priority") ? cursor.number() : std::nullopt;
  const auto state = cursor.take("state") ? cursor.number() : std::nullopt;
  const std::string_view name = cursor.word();
  if (!lid || *lid > kLargestLid || !guid || !activity || *activity < 0 || !priority ||
      *priority > kLargestPriority || !state || name.empty() || !cursor.at_end())
    return std::nullopt;
  SubnetManager manager;
  manager.lid = assigned_lid(*lid);
  manager.guid = Guid{*guid};
  manager.activity = *activity;
  manager.priority = *priority;
  if (name == "???") return manager;
  const auto index = static_cast<std::size_t>(*state);
  if (index >= std::size(kStates) || kStates[index].printed != name) return std::nullopt;
  manager.state = static_cast<SmState>(index);
  return manager;
}

// Nullopt: none of the notes says.
std::optional<SmFailure> failure_of(const std::vector<ToolNote>& notes) {
  for (const Reason& reason : kReasons) {
    for (const ToolNote& note : notes) {
      if (note.text.find(reason.text) != std::string::npos) return reason.failure;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view state_name(SmState state) {
  return kStates[static_cast<std::size_t>(state)].name;
}

std::string_view failure_name(SmFailure failure) {
  switch (failure) {
    case SmFailure::not_permitted:
      return "not-permitted";
    case SmFailure::no_device:
      return "no-device";
    case SmFailure::not_resolved:
      return "not-resolved";
    case SmFailure::no_answer:
      break;
  }
  return "no-answer";
}

Result<SmInfo> parse_sminfo(std::string_view text) {
  SmInfo info;
  std::size_t number = 0;
  for (const std::string_view each : split_lines(text)) {
    ++number;
    const std::string_view line = trim(each);
    if (line.empty()) continue;
    if (!line.starts_with(kAnswer)) {
      info.notes.push_back({number, std::string{line}});
      continue;
    }
    if (info.manager) return error_at(number, "a second answer");
    info.manager = manager_of(line);
    if (!info.manager)
      return error_at(number, fmt::format("'{}' is no whole answer of sminfo", line));
  }
  if (info.manager) return info;
  info.failure = failure_of(info.notes);
  if (info.failure) return info;
  if (info.notes.empty()) return error_at(1, "neither an answer nor a failure of sminfo");
  return error_at(
      info.notes.front().line,
      fmt::format("'{}' is neither an answer nor a failure of sminfo", info.notes.front().text));
}

Value to_value(const SmInfo& info) {
  Map map{{"notes", to_value(info.notes)}};
  if (info.failure) map.emplace("failure", failure_name(*info.failure));
  if (info.manager) {
    const SubnetManager& manager = *info.manager;
    Map value{
        {"guid", manager.guid.str()},
        {"activity", manager.activity},
        {"priority", manager.priority}};
    if (manager.lid) value.emplace("lid", *manager.lid);
    if (manager.state) value.emplace("state", state_name(*manager.state));
    map.emplace("manager", std::move(value));
  }
  return map;
}

}  // namespace fabric::providers
