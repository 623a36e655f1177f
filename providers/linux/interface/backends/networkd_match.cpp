// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/interface/backends/networkd_match.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fnmatch.h>

#include "engine/base/text.hpp"
#include "providers/linux/port_match.hpp"
#include "providers/parsers/network_files/ini_file.hpp"

namespace fabric::providers {

namespace {

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("*?[") != std::string_view::npos;
}

bool matches_any(std::string_view patterns, const std::string& text) {
  const std::vector<std::string_view> words = split_words(patterns);
  return std::any_of(words.begin(), words.end(), [&text](std::string_view word) {
    return !text.empty() && fnmatch(std::string{word}.c_str(), text.c_str(), 0) == 0;
  });
}

bool is_mac(std::string_view words, const std::optional<MacAddress>& mac) {
  const std::vector<std::string_view> list = split_words(words);
  return std::any_of(list.begin(), list.end(), [&mac](std::string_view word) {
    const Result<MacAddress> given = MacAddress::parse(word);
    return given && mac == *given;
  });
}

// As `networkctl list` prints it.
std::string networkd_type(const LinkTarget& target) {
  if (target.kind == LinkKind::bond) return "bond";
  if (target.kind == LinkKind::vlan) return "vlan";
  return target.infiniband || target.kind == LinkKind::ipoib_child ? "infiniband" : "ether";
}

struct KeyVerdict {
  bool holds = true;
  bool names_it = false;
};

KeyVerdict judge_name(const LinkTarget& target, std::string_view value) {
  const bool negated = value.starts_with('!');
  const bool hit = matches_any(value.substr(negated ? 1 : 0), target.name);
  return {hit != negated, hit && !negated && !has_wildcard(value)};
}

KeyVerdict judge_key(const LinkTarget& target, const IniEntry& entry) {
  if (entry.key == "Name") return judge_name(target, entry.value);
  if (entry.key == "Type") return {matches_any(entry.value, networkd_type(target)), false};
  // What a virtual interface takes its address, path or driver from is not told here.
  if (target.port == nullptr) return {};
  if (entry.key == "MACAddress" || entry.key == "PermanentMACAddress") {
    const bool hit = is_mac(
        entry.value, entry.key == "MACAddress" ? target.port->mac : target.port->permanent_mac);
    return {hit, hit};
  }
  if (entry.key == "Path") {
    const bool hit = matches_any(entry.value, "pci-" + target.port->function.str());
    return {hit, hit && !has_wildcard(entry.value)};
  }
  if (entry.key == "Driver") {
    const std::string& driver = target.card->driver;
    return {driver.empty() || matches_any(entry.value, driver), false};
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
  bool all_hold = true;
  bool any = false;
  bool only_by_class = true;
  for (const IniEntry& entry : ini_entries(content, IniDialect::systemd)) {
    if (entry.section != "Match") continue;
    if (!any) verdict.line = entry.line;
    any = true;
    const KeyVerdict key = judge_key(target, entry);
    all_hold = all_hold && key.holds;
    verdict.names_it = verdict.names_it || key.names_it;
    const bool one_word = split_words(entry.value).size() == 1 && !has_wildcard(entry.value);
    verdict.alone = verdict.alone || (key.names_it && one_word);
    only_by_class = only_by_class && entry.key != "Path" && entry.key != "Driver" &&
                    entry.key != "MACAddress" && entry.key != "PermanentMACAddress";
  }
  // Virtual interfaces have no path, driver or address of a card.
  verdict.matches = any && all_hold && (target.port != nullptr || only_by_class);
  return verdict;
}

}  // namespace fabric::providers
