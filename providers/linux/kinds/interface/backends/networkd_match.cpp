// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/backends/networkd_match.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fnmatch.h>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/interface/backends/spellings.hpp"
#include "providers/linux/kinds/port/port_match.hpp"
#include "providers/linux/parsers/ini_file.hpp"

namespace fabric::providers {

namespace {

// The list that all lines of one key of [Match] make: an empty line clears it, and a `!` before the
// first word of a line negates each of its words.
std::vector<std::string> words_of(const std::vector<const IniEntry*>& lines) {
  std::vector<std::string> words;
  for (const IniEntry* line : lines) {
    std::string_view value = line->value;
    if (value.empty()) words.clear();
    const bool all_negated = value.starts_with('!');
    if (all_negated) value.remove_prefix(1);
    for (const std::string_view each : split_words(value)) {
      std::string word{each};
      std::erase_if(word, [](char c) { return c == '"' || c == '\''; });
      if (!word.empty()) words.push_back(all_negated ? "!" + word : word);
    }
  }
  return words;
}

// A `!` excludes; if every word has one, all other names fit.
bool fits(const std::vector<std::string>& words, const std::string& text) {
  bool match = false;
  bool any_positive = false;
  for (const std::string& word : words) {
    const bool negated = word.starts_with('!');
    any_positive = any_positive || !negated;
    const bool hit =
        !text.empty() && fnmatch(word.c_str() + (negated ? 1 : 0), text.c_str(), 0) == 0;
    if (hit && negated) return false;
    match = match || hit;
  }
  return words.empty() || !any_positive || match;
}

bool is_mac(
    const std::vector<std::string>& words,
    const LinkTarget& target,
    const std::optional<MacAddress>& mac) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    const Result<MacAddress> given = MacAddress::parse(word);
    return given ? mac == *given : is_address_of(word, target);
  });
}

// The type that `networkctl list` prints.
std::string networkd_type(const LinkTarget& target) {
  if (target.kind == LinkKind::bond) return "bond";
  if (target.kind == LinkKind::vlan) return "vlan";
  return target.infiniband || target.kind == LinkKind::ipoib_child ? "infiniband" : "ether";
}

// The kind that `ip -d link` prints; "" for a port of a card.
std::string kind_of(const LinkTarget& target) {
  if (target.kind == LinkKind::port) return {};
  return target.kind == LinkKind::ipoib_child ? "ipoib" : networkd_type(target);
}

struct KeyVerdict {
  bool holds = true;
  bool names_it = false;
};

KeyVerdict judge_words(const std::vector<std::string>& words, const std::string& text) {
  const bool hit = fits(words, text);
  const bool literal = std::any_of(
      words.begin(), words.end(), [&text](const std::string& word) { return word == text; });
  return {hit, hit && literal};
}

KeyVerdict judge_key(
    const LinkTarget& target, std::string_view key, const std::vector<std::string>& words) {
  if (key == "Name") return judge_words(words, target.name);
  // Of a .link file: the name that it has, or the one that the kernel gave it, "eth0".
  if (key == "OriginalName" && fits(words, "eth")) return {};
  if (key == "OriginalName") return judge_words(words, target.name);
  if (key == "Type") return {fits(words, networkd_type(target)), false};
  if (key == "Kind") return {fits(words, kind_of(target)), false};
  // Keys of a radio; other interfaces do not have them.
  if (key == "SSID" || key == "BSSID" || key == "WLANInterfaceType") return {false, false};
  // The address, path or driver of a virtual interface is not known here.
  if (target.port == nullptr) return {};
  if (key == "MACAddress" || key == "PermanentMACAddress") {
    const AdapterPort& port = *target.port;
    const bool hit = is_mac(words, target, key == "MACAddress" ? port.mac : port.permanent_mac);
    return {hit, hit};
  }
  if (key == "Path") return judge_words(words, path_of(target));
  if (key == "Driver") {
    const std::string& driver = target.card->driver;
    return {driver.empty() || fits(words, driver), false};
  }
  return {};
}

}  // namespace

std::string networkd_match(const LinkTarget& target) {
  // A P_Key child has the PCI path and the type of its parent, so there only the name tells; and so
  // it does between two ports of one function, unless a MAC address is known.
  const bool by_name = target.kind != LinkKind::port || target.infiniband ||
                       (target.is_named && target.card->shares_function());
  if (!by_name) return systemd_match(*target.card, *target.port);
  return target.name.empty() ? std::string{} : fmt::format("Name={}\n", target.name);
}

MatchVerdict judge_match(const LinkTarget& target, std::string_view content) {
  MatchVerdict verdict;
  std::map<std::string_view, std::vector<const IniEntry*>> keys;
  const std::vector<IniEntry> entries = ini_entries(content, IniDialect::systemd);
  for (const IniEntry& entry : entries) {
    if (entry.section != "Match") continue;
    if (keys.empty()) verdict.line = entry.line;
    keys[entry.key].push_back(&entry);
  }
  bool all_hold = true;
  bool only_by_class = true;
  for (const auto& [name, lines] : keys) {
    const std::vector<std::string> words = words_of(lines);
    const KeyVerdict key = judge_key(target, name, words);
    all_hold = all_hold && key.holds;
    verdict.names_it = verdict.names_it || key.names_it;
    verdict.alone = verdict.alone || (key.names_it && words.size() == 1);
    only_by_class = only_by_class && name != "Path" && name != "Driver" && name != "MACAddress" &&
                    name != "PermanentMACAddress";
  }
  // Virtual interfaces have no path, driver or address of a card.
  verdict.matches = !keys.empty() && all_hold && (target.port != nullptr || only_by_class);
  return verdict;
}

}  // namespace fabric::providers
