// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/parsers/opensm_conf.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
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

}  // namespace fabric::providers
