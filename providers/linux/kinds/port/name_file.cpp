// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/port/name_file.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/port/port_match.hpp"
#include "providers/linux/parsers/ini_file.hpp"

namespace fabric::providers {

namespace {

// One match for each type that the port may have.
std::vector<std::string> rule_matches(const NamedPort& named) {
  std::vector<std::string> matches;
  for (const bool infiniband : {false, true}) {
    if (named.infiniband.value_or(infiniband) == infiniband)
      matches.push_back(udev_port_match(*named.card, *named.port, infiniband) + "NAME=\"");
  }
  return matches;
}

std::string rules(const NamedPort& named, std::string_view name) {
  std::string text;
  for (const std::string& match : rule_matches(named))
    text += fmt::format("{}{}\"\n", match, name);
  return text;
}

std::string name_in_rule(std::string_view content, const std::string& match) {
  for (const std::string_view line : split_lines(content)) {
    if (!line.starts_with(match) || !line.ends_with('"')) continue;
    const std::string_view name = line.substr(match.size());
    return std::string{name.substr(0, name.size() - 1)};
  }
  return {};
}

std::string name_in_rules(std::string_view content, const NamedPort& named) {
  std::optional<std::string> name;
  for (const std::string& match : rule_matches(named)) {
    std::string found = name_in_rule(content, match);
    if (name && *name != found) return {};
    name = std::move(found);
  }
  return name.value_or("");
}

std::string name_in_link(std::string_view content, const std::string& wanted_match) {
  std::string match;
  std::string name;
  for (const IniEntry& entry : ini_entries(content, IniDialect::systemd)) {
    if (entry.section == "Match") match += fmt::format("{}={}\n", entry.key, entry.value);
    if (entry.section == "Link" && entry.key == "Name") name = entry.value;
  }
  return match == wanted_match ? name : std::string{};
}

// Before 80-net-setup-link.rules, which only names interfaces without a name.
std::string path_of(bool rule, const ResourceAddress& address) {
  return rule ? fmt::format("/etc/udev/rules.d/70-fabric-{}.rules", address.name)
              : fmt::format("/etc/systemd/network/10-fabric-{}.link", address.name);
}

}  // namespace

bool is_named_by_rule(const NamedPort& named) {
  return named.infiniband.value_or(true) || named.card->shares_function() ||
         systemd_match(*named.card, *named.port).empty();
}

std::string name_path(const NamedPort& named, const ResourceAddress& address) {
  return path_of(is_named_by_rule(named), address);
}

std::string other_name_path(const NamedPort& named, const ResourceAddress& address) {
  return path_of(named.card->shares_function() || !is_named_by_rule(named), address);
}

std::string name_text(const NamedPort& named, const std::string& name) {
  if (is_named_by_rule(named)) return rules(named, name);
  // The file replaces the distribution's whole default, of which only the name should change.
  return fmt::format(
      "[Match]\n{}\n[Link]\nName={}\n", systemd_match(*named.card, *named.port), name);
}

std::string name_file(const Resource& resource, const NamedPort& named, const std::string& name) {
  return owned_marker(resource) + name_text(named, name);
}

std::string name_in_file(std::string_view content, const NamedPort& named) {
  return is_named_by_rule(named) ? name_in_rules(content, named)
                                 : name_in_link(content, systemd_match(*named.card, *named.port));
}

}  // namespace fabric::providers
