#include "providers/link_name/name_file.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/interface/ini_file.hpp"
#include "providers/systemd_match.hpp"
#include "providers/udev_match.hpp"

namespace fabric::providers {

namespace {

std::string rule_match(const NamedPort& named) {
  return udev_port_match(*named.card, *named.port, named.infiniband);
}

std::string rule(const NamedPort& named, std::string_view name) {
  return fmt::format("{}NAME=\"{}\"\n", rule_match(named), name);
}

std::string name_in_rule(std::string_view content, const NamedPort& named) {
  const std::string match = rule_match(named) + "NAME=\"";
  for (const std::string_view line : split_lines(content)) {
    if (!line.starts_with(match) || !line.ends_with('"')) continue;
    const std::string_view name = line.substr(match.size());
    return std::string{name.substr(0, name.size() - 1)};
  }
  return {};
}

std::string name_in_link(std::string_view content, const std::string& wanted_match) {
  std::string match;
  std::string name;
  for (const IniEntry& entry : ini_entries(content)) {
    if (entry.section == "Match") match += fmt::format("{}={}\n", entry.key, entry.value);
    if (entry.section == "Link" && entry.key == "Name") name = entry.value;
  }
  return match == wanted_match ? name : std::string{};
}

bool by_rule(const NamedPort& named) {
  return named.infiniband || named.card->shares_function();
}

// Before 80-net-setup-link.rules, which names only what has no name yet.
std::string path_of(bool rule, const ResourceAddress& address) {
  return rule ? fmt::format("/etc/udev/rules.d/70-fabric-{}.rules", address.name)
              : fmt::format("/etc/systemd/network/10-fabric-{}.link", address.name);
}

}  // namespace

std::string name_path(const NamedPort& named, const ResourceAddress& address) {
  return path_of(by_rule(named), address);
}

std::string other_name_path(const NamedPort& named, const ResourceAddress& address) {
  return path_of(named.card->shares_function() || !named.infiniband, address);
}

std::string name_file(const Resource& resource, const NamedPort& named, const std::string& name) {
  const std::string marker = owned_marker(resource);
  if (by_rule(named)) return marker + rule(named, name);
  // It replaces the distribution's whole default, of which only the name is wanted changed.
  return fmt::format(
      "{}[Match]\n{}\n[Link]\nName={}\n", marker, systemd_match(*named.card, *named.port), name);
}

std::string name_in_file(std::string_view content, const NamedPort& named) {
  return by_rule(named) ? name_in_rule(content, named)
                        : name_in_link(content, systemd_match(*named.card, *named.port));
}

}  // namespace fabric::providers
