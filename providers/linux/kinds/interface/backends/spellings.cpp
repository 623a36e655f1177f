// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/backends/spellings.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fnmatch.h>
#include <regex.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set.hpp"

namespace fabric::providers {

namespace {

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("*?[") != std::string_view::npos;
}

bool globs(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// A template of ifupdown2 puts anything there.
std::string without_variables(std::string_view word) {
  std::string pattern;
  while (!word.empty()) {
    const std::size_t begin = word.find("${");
    pattern += word.substr(0, begin);
    if (begin == std::string_view::npos) break;
    pattern += '*';
    const std::size_t end = word.find('}', begin);
    word = end == std::string_view::npos ? std::string_view{} : word.substr(end + 1);
  }
  return pattern;
}

bool is_in_set(std::string_view text, const std::string& name) {
  constexpr std::size_t kMost = 4096;
  const Result<NodeSet> set = NodeSet::parse(text);
  if (!set || set->group_count() == 0 || set->size() > kMost) return false;
  for (std::size_t i = 0; i < set->size(); ++i) {
    if (set->at(i) == name) return true;
  }
  return false;
}

// "swp1-6" of `glob`: from swp1 to swp6.
bool is_in_range(std::string_view text, const std::string& name) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return false;
  const std::string_view first = text.substr(0, dash);
  const std::size_t stem = first.find_last_not_of(kDigits) + 1;
  if (stem >= first.size()) return false;
  return is_in_set(
      fmt::format("{}[{}-{}]", first.substr(0, stem), first.substr(stem), text.substr(dash + 1)),
      name);
}

// No long pattern and none with counts: a text of a node must not cost more than its length.
bool matches_regex(const std::string& pattern, const std::string& text) {
  constexpr std::size_t kLongest = 128;
  if (pattern.size() > kLongest || pattern.find('{') != std::string::npos) return true;
  regex_t compiled;
  const std::string whole = "^(" + pattern + ")$";
  if (regcomp(&compiled, whole.c_str(), REG_EXTENDED | REG_NOSUB) != 0) return true;
  const bool fits = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return fits;
}

}  // namespace

Spelling ifupdown_name(std::string_view word, const std::string& name) {
  if (name.empty()) return {};
  // "swp1:0" is a further address of swp1.
  if (word.substr(0, word.find(':')) == name) return {true, true};
  const std::string pattern = without_variables(word.substr(word.starts_with('/') ? 1 : 0));
  const bool fits = (has_wildcard(pattern) && globs(pattern, name)) || is_in_set(pattern, name);
  return {fits, false};
}

bool ifupdown_selects(std::string_view word, const LinkTarget& target) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || target.kind != LinkKind::port) return false;
  std::string_view pattern = word.substr(0, equals);
  // "/en*/1": a pattern, and which of those that fit.
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  const std::vector<std::string_view> parts = split(pattern, '/');
  if (parts[0] == "mac" || parts[0] == "address")
    return parts.size() > 1 && (has_wildcard(parts[1]) || is_address_of(parts[1], target));
  if (ifupdown_name(parts[0], target.name).fits) return true;
  // "device/driver/mlx5*": any other file of the interface, which may well fit.
  return parts.size() > 1 && !parse_integer(parts[1]);
}

bool ifupdown_command(std::string_view command, const std::string& name) {
  constexpr std::string_view kConfigures[] = {
      "master", "addif", "ifenslave", "add-port", "addr", "address", "type"};
  bool named = false;
  bool configures = false;
  for (const std::string_view word : split_words(command)) {
    named = named || word == name;
    const std::string_view program = word.substr(word.rfind('/') + 1);
    configures = configures || std::find(std::begin(kConfigures), std::end(kConfigures), program) !=
                                   std::end(kConfigures);
  }
  return named && configures;
}

namespace {

enum class ListMode { plain, glob, regex };

bool names(ListMode mode, std::string_view word, const std::string& name) {
  if (mode == ListMode::regex) return matches_regex(std::string{word}, name);
  return ifupdown_name(word, name).fits || (mode == ListMode::glob && is_in_range(word, name));
}

}  // namespace

bool ifupdown_lists(std::string_view value, const std::string& name) {
  ListMode mode = ListMode::plain;
  if (name.empty()) return false;
  for (const std::string_view word : split_words(value)) {
    if (word == "none" || word == "noregex" || word == "noglob") {
      mode = ListMode::plain;
    } else if (word == "regex") {
      mode = ListMode::regex;
    } else if (word == "glob") {
      mode = ListMode::glob;
    } else if (
        // A line of a template is no name: it is unknown which names it makes.
        word == "all" || word.starts_with('%') || names(mode, word, name)) {
      return true;
    }
  }
  return false;
}

Spelling manager_pattern(std::string_view list, const std::string& text) {
  bool any_optional = false;
  bool optional_fits = false;
  bool all = true;
  std::size_t positive = 0;
  bool alone = true;
  for (std::string_view each : split(list, ';')) {
    each = trim(each);
    if (each.empty()) continue;
    const bool optional = each.starts_with('|');
    const bool mandatory = each.starts_with('&');
    if (optional || mandatory) each.remove_prefix(1);
    const bool negated = each.starts_with('!');
    if (negated) each.remove_prefix(1);
    // An unknown name may fit.
    const bool fits = text.empty() || globs(std::string{each}, text) != negated;
    // Without a sign, one of those that are not negated is enough, and all that are negated hold.
    if (optional || (!mandatory && !negated)) {
      any_optional = true;
      optional_fits = optional_fits || fits;
    } else {
      all = all && fits;
    }
    if (!negated) ++positive;
    alone = alone && !negated && !has_wildcard(each);
  }
  const bool fits = all && (!any_optional || optional_fits);
  return {fits, fits && alone && positive == 1};
}

Spelling netplan_globs(const std::vector<std::string>& globs_of, const std::string& text) {
  if (text.empty()) return {true, false};
  const bool fits = std::any_of(
      globs_of.begin(), globs_of.end(), [&](const std::string& glob) { return globs(glob, text); });
  return {fits, fits && globs_of.size() == 1 && !has_wildcard(globs_of.front())};
}

bool is_address_of(std::string_view text, const LinkTarget& target) {
  if (target.port == nullptr) return false;
  if (const Result<MacAddress> mac = MacAddress::parse(text))
    return target.port->permanent_mac == *mac;
  constexpr std::size_t kBytesOfIpoib = 20;
  constexpr std::size_t kBytesOfGuid = 8;
  const std::vector<std::string_view> bytes = split(text, ':');
  if (bytes.size() != kBytesOfIpoib || !target.port->port_guid) return false;
  std::string digits;
  for (std::size_t at = kBytesOfIpoib - kBytesOfGuid; at < kBytesOfIpoib; ++at)
    digits += bytes[at];
  return parse_unsigned(digits, 16) == target.port->port_guid->bits();
}

std::string path_of(const LinkTarget& target) {
  return target.port == nullptr ? std::string{} : "pci-" + target.port->function.str();
}

std::string driver_of(const LinkTarget& target) {
  if (target.card == nullptr) return {};
  // IPoIB says "mlx5_core[ib_ipoib]" of its own.
  return target.infiniband ? std::string{} : target.card->driver;
}

}  // namespace fabric::providers
