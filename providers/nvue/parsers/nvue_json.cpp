// SPDX-License-Identifier: Apache-2.0
#include "providers/nvue/parsers/nvue_json.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"
#include "providers/nvue/parsers/nvue_parts.hpp"

namespace fabric::providers {

namespace nvue_parts {

Error wrong(std::string_view where, std::string_view expected, const Value* found) {
  return {
      ErrorCode::invalid,
      fmt::format(
          "{}: expected {}, found {}",
          where,
          expected,
          found == nullptr ? "nothing" : to_json(*found))};
}

Result<const Map*> members(const Value& value, std::string_view where) {
  const Map* map = value.as_map();
  if (map == nullptr) return wrong(where, "an object", &value);
  return map;
}

Error at_its_line(std::string_view text, Error error) {
  const std::string_view message = error.message;
  if (message.starts_with("line ")) return error;
  std::size_t at = 0;
  for (const std::string_view key : split(message.substr(0, message.find(": ")), '.')) {
    const std::size_t next = text.find(key, at);
    if (next != std::string_view::npos) at = next;
  }
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
  return {error.code, fmt::format("line {}: {}", 1 + std::count(text.begin(), end, '\n'), message)};
}

}  // namespace nvue_parts

using nvue_parts::members;
using nvue_parts::with_line;
using nvue_parts::wrong;

namespace {

constexpr std::string_view kDigits = "0123456789";
// The greatest number of names in one key; a switch has 512 ports at most.
constexpr std::uint64_t kMostNames = 5000;

// True for maps whose keys are names: there a range means its members.
bool has_names(std::string_view key) {
  constexpr std::array<std::string_view, 3> kOfNames{"interface", "member", "vlan"};
  return std::find(kOfNames.begin(), kOfNames.end(), key) != kOfNames.end();
}

void merge(Map& into, const Map& from);

// NOLINTNEXTLINE(misc-no-recursion): see merge()
void merge_entry(Map& into, const std::string& key, const Value& value) {
  const auto [place, is_new] = into.try_emplace(key, Map{});
  const Map* map = value.as_map();
  if (map == nullptr) {
    place->second = value;
    return;
  }
  if (place->second.as_map() == nullptr) place->second = Map{};
  merge(*place->second.as_map(), *map);
}

// Of two that set the same the later wins. Depth is that of JSON (limits::kNestingDepth).
// NOLINTNEXTLINE(misc-no-recursion)
void merge(Map& into, const Map& from) {
  for (const auto& [key, value] : from) {
    const Map* names = has_names(key) ? value.as_map() : nullptr;
    if (names == nullptr) {
      merge_entry(into, key, value);
      continue;
    }
    Map apart;
    for (const auto& [name, each] : *names) {
      for (const std::string& one : nvue_names(name))
        merge_entry(apart, one, each);
    }
    merge_entry(into, key, Value{std::move(apart)});
  }
}

}  // namespace

Result<Value> parse_nvue_json(std::string_view text) {
  std::string blanked;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(text.substr(at, end - at));
    if (!line.empty() && (line.front() == '{' || line.front() == '[')) break;
    blanked += '\n';
    at = end + 1;
  }
  if (at >= text.size()) {
    const std::string_view said = trim(text);
    return Error{
        ErrorCode::invalid,
        said.empty()
            ? "line 1: the answer is empty"
            : fmt::format("line 1: expected JSON, found '{}'", said.substr(0, said.find('\n')))};
  }
  return parse_json(blanked + std::string{text.substr(at)}, DuplicateKeys::last_wins);
}

std::string nvue_word(const Value* value) {
  if (value == nullptr) return {};
  if (const auto* text = value->as_string()) return *text;
  if (value->as_integer() != nullptr || value->as_bool() != nullptr) return to_text(*value);
  const Map* map = value->as_map();
  return map != nullptr && map->size() == 1 ? map->begin()->first : std::string{};
}

const Value* nvue_find(const Value& tree, std::initializer_list<std::string_view> path) {
  const Value* at = &tree;
  for (const std::string_view key : path) {
    at = at->find(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::vector<std::string> nvue_names(std::string_view key) {
  std::vector<std::string> names;
  for (const std::string_view part : split(key, ',')) {
    const std::size_t dash = part.rfind('-');
    const std::string_view last = dash == std::string_view::npos ? "" : part.substr(dash + 1);
    const std::string_view before = part.substr(0, std::min(dash, part.size()));
    const std::size_t letters = before.find_last_not_of(kDigits);
    const std::size_t begin = letters == std::string_view::npos ? 0 : letters + 1;
    const auto from = parse_unsigned(before.substr(begin), 10);
    const auto to = parse_unsigned(last, 10);
    if (!from || !to || *to < *from || *to - *from >= kMostNames) {
      names.emplace_back(part);
      continue;
    }
    for (std::uint64_t number = *from; number <= *to; ++number)
      names.push_back(fmt::format("{}{}", before.substr(0, begin), number));
  }
  return names;
}

namespace {

Result<Value> read_config(std::string_view text) {
  const Value document = FABRIC_TRY(parse_nvue_json(text));
  const List* parts = document.as_list();
  if (parts == nullptr) return wrong("line 1", "a list of {set}", &document);
  Map tree;
  for (const Value& part : *parts) {
    FABRIC_TRY(members(part, "a part of the configuration"));
    const Value* set = part.find("set");
    if (set == nullptr) continue;
    merge(tree, *FABRIC_TRY(members(*set, "set")));
  }
  return Value{std::move(tree)};
}

}  // namespace

Result<Value> parse_nvue_config(std::string_view text) {
  return with_line(text, read_config(text));
}

}  // namespace fabric::providers
