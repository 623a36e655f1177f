// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/parsers/sminfo.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/subnet/observed_topology.hpp"
#include "providers/parsers/line_cursor.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

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
