#include "providers/link_name/name_file.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/interface/ini_file.hpp"
#include "providers/systemd_match.hpp"

namespace fabric::providers {

namespace {

// ARPHRD_ETHER: the same port has another interface while it is InfiniBand. dev_port counts from 0.
std::string rule_match(const AdapterPort& port) {
  return fmt::format(
      R"(ACTION=="add", SUBSYSTEM=="net", KERNELS=="{}", ATTR{{dev_port}}=="{}", ATTR{{type}}=="1", )",
      port.function.str(),
      port.number - 1);
}

std::string rule(const AdapterPort& port, std::string_view name) {
  return fmt::format("{}NAME=\"{}\"\n", rule_match(port), name);
}

std::string name_in_rule(std::string_view content, const AdapterPort& port) {
  const std::string match = rule_match(port) + "NAME=\"";
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

}  // namespace

std::string name_path(const Card& card, const ResourceAddress& address) {
  // Before 80-net-setup-link.rules, which names only what has no name yet.
  return card.shares_function()
             ? fmt::format("/etc/udev/rules.d/70-fabric-{}.rules", address.name)
             : fmt::format("/etc/systemd/network/10-fabric-{}.link", address.name);
}

std::string name_file(
    const Resource& resource, const Card& card, const AdapterPort& port, const std::string& name) {
  const std::string marker = owned_marker(resource);
  if (card.shares_function()) return marker + rule(port, name);
  // It replaces the distribution's whole default, of which only the name is wanted changed.
  return fmt::format("{}[Match]\n{}\n[Link]\nName={}\n", marker, systemd_match(card, port), name);
}

std::string name_in_file(std::string_view content, const Card& card, const AdapterPort& port) {
  return card.shares_function() ? name_in_rule(content, port)
                                : name_in_link(content, systemd_match(card, port));
}

}  // namespace fabric::providers
