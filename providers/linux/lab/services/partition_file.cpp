// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/services/partition_file.hpp"

#include <array>

#include "engine/base/text.hpp"

namespace fabric::lab {
namespace {

std::string without_comments(std::string_view text) {
  std::string rest;
  for (const std::string_view line : split_lines(text)) {
    rest += line.substr(0, line.find('#'));
    rest += ' ';
  }
  return rest;
}

std::optional<std::uint64_t> number(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return parse_unsigned(text.substr(2), 16);
  return parse_unsigned(text, 10);
}

// "full", "limited" or the beginning of it; nullopt is a mistake.
std::optional<bool> membership(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (std::string_view{"full"}.starts_with(text) || text == "both") return true;
  if (std::string_view{"limited"}.starts_with(text)) return false;
  return std::nullopt;
}

struct Setting {
  std::string_view name, value;
};

Setting setting_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {trim(text), {}};
  return {trim(text.substr(0, equals)), trim(text.substr(equals + 1))};
}

// A number that is no code of an MTU has no effect, silently (case C).
void take_flag(const Setting& flag, PartitionRule& rule, bool& full) {
  constexpr std::array<std::uint32_t, 6> kBytes{0, 256, 512, 1024, 2048, 4096};
  if (flag.name == "ipoib") rule.ipoib = true;
  if (flag.name == "defmember") full = membership(flag.value).value_or(false);
  if (flag.name != "mtu") return;
  const std::uint64_t code = number(flag.value).value_or(0);
  if (code > 0 && code < kBytes.size()) rule.mtu = kBytes.at(code);
}

bool take_member(std::string_view text, bool otherwise, PartitionRule& rule) {
  const Setting member = setting_of(text);
  std::optional<bool> full = otherwise;
  if (text.find('=') != std::string_view::npos) full = membership(member.value);
  if (!full) return false;
  if (member.name == "ALL" || member.name == "ALL_CAS") {
    // Seen with OpenSM 3.3.23: of two that are about one port the later one counts.
    rule.all = *full;
    rule.self.reset();
    rule.members.clear();
  } else if (member.name == "SELF") {
    rule.self = *full;
  } else if (member.name != "ALL_SWITCHES" && member.name != "ALL_ROUTERS") {
    const std::optional<std::uint64_t> guid = number(member.name);
    if (!guid) return false;
    rule.members[*guid] = *full;
  }
  return true;
}

// Reads one definition up to its semicolon; false for a mistake.
bool take_definition(std::string_view text, PartitionRules& rules) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::vector<std::string_view> head = split(text.substr(0, colon), ',');
  const Setting name = setting_of(head.front());
  std::optional<std::uint64_t> key = number(name.value);
  if (name.value.empty() && name.name == "Default") key = kDefaultKey;
  if (!key || *key > 0xffff) return false;
  PartitionRule& rule = rules[static_cast<std::uint16_t>(*key & kDefaultKey)];
  bool full = false;
  for (std::size_t i = 1; i < head.size(); ++i)
    take_flag(setting_of(head[i]), rule, full);
  for (const std::string_view member : split(text.substr(colon + 1), ',')) {
    if (!trim(member).empty() && !take_member(trim(member), full, rule)) return false;
  }
  return true;
}

// Without a file or with one that is in error.
PartitionRules standard_rules() {
  PartitionRule rule;
  rule.ipoib = true;
  rule.all = true;
  return {{kDefaultKey, rule}};
}

}  // namespace

PartitionRules partition_rules(const std::optional<std::string>& text) {
  if (!text) return standard_rules();
  // OpenSM makes it first, and the file only adds: the manager is a full member, every other port a
  // limited one (case A).
  PartitionRule first;
  first.all = false;
  first.self = true;
  PartitionRules rules{{kDefaultKey, first}};
  const std::string rest = without_comments(*text);
  std::string_view left = rest;
  while (!trim(left).empty()) {
    const std::size_t end = left.find(';');
    if (end == std::string_view::npos || !take_definition(left.substr(0, end), rules))
      return standard_rules();
    left = left.substr(end + 1);
  }
  return rules;
}

}  // namespace fabric::lab
