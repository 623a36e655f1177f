// SPDX-License-Identifier: Apache-2.0
// containerlab's topologies: nodes of kinds, and links between their interfaces.
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/description/foreign/cabling.hpp"
#include "engine/description/foreign/formats.hpp"
#include "engine/description/foreign/reading.hpp"

namespace fabric::description {

namespace {

// The kind of a node, which a group or the defaults may give.
std::string kind_of(const yaml::Node& topology, const yaml::Node& node) {
  if (const yaml::Node* kind = node.find("kind")) return kind->text;
  const yaml::Node* group = node.find("group");
  const yaml::Node* groups = topology.find("groups");
  if (group != nullptr && groups != nullptr) {
    const yaml::Node* found = groups->find(group->text);
    const yaml::Node* kind = found == nullptr ? nullptr : found->find("kind");
    if (kind != nullptr) return kind->text;
  }
  const yaml::Node* defaults = topology.find("defaults");
  const yaml::Node* kind = defaults == nullptr ? nullptr : defaults->find("kind");
  return kind == nullptr ? "" : kind->text;
}

Result<ForeignEnd> end_of(const yaml::Node& end, std::size_t line) {
  const std::size_t colon = end.text.find(':');
  if (!end.is_scalar() || colon == std::string::npos)
    return refusal(line, fmt::format("'{}' is not NODE:INTERFACE", end.text));
  ForeignEnd found{
      std::string{trim(end.text.substr(0, colon))}, std::string{trim(end.text.substr(colon + 1))}};
  if (found.device.empty() || found.port.empty())
    return refusal(line, fmt::format("'{}' is not NODE:INTERFACE", end.text));
  return found;
}

Result<void> read_devices(Cabling& cabling, const yaml::Node& topology, const LineNumbers& lines) {
  const yaml::Node* nodes = topology.find("nodes");
  if (nodes == nullptr) return {};
  for (const yaml::Entry& entry : nodes->entries) {
    ForeignDevice* device = FABRIC_TRY(cabling.device(entry.key, lines.of(entry.key_range.begin)));
    const std::string kind = kind_of(topology, entry.value);
    device->is_switch = kind != "linux";
    const yaml::Node* address = entry.value.find("mgmt-ipv4");
    if (address != nullptr && is_host_text(address->text)) device->address = address->text;
  }
  return {};
}

Result<ForeignCable> cable_of(const yaml::Node& link, std::size_t line) {
  const yaml::Node* ends = link.find("endpoints");
  if (ends == nullptr || ends->items.size() != 2)
    return refusal(line, "expected a link with two endpoints");
  const ForeignEnd a = FABRIC_TRY(end_of(ends->items[0], line));
  const ForeignEnd b = FABRIC_TRY(end_of(ends->items[1], line));
  return ForeignCable{a, b, {}, {}, {}, {}, line};
}

}  // namespace

Result<Description> parse_containerlab(std::string_view text) {
  const yaml::Node root = FABRIC_TRY(read_yaml(text));
  const yaml::Node* topology = root.find("topology");
  if (topology == nullptr) return refusal(1, "there is no 'topology' in it");
  Cabling cabling{true};
  const LineNumbers lines{text};
  FABRIC_TRY(read_devices(cabling, *topology, lines));
  std::size_t virtual_links = 0;
  const yaml::Node* links = topology->find("links");
  if (links != nullptr) {
    for (const yaml::Node& link : links->items) {
      const ForeignCable cable = FABRIC_TRY(cable_of(link, lines.of(link.range.begin)));
      // "host" and "mgmt-net" are ends inside of the machine that runs the containers.
      const bool is_virtual =
          !cabling.devices.contains(cable.a.device) || !cabling.devices.contains(cable.b.device);
      if (is_virtual) {
        ++virtual_links;
        continue;
      }
      FABRIC_TRY(cabling.add(cable));
    }
  }
  Result<Description> found = described(cabling, "ethernet");
  if (found && virtual_links != 0)
    found->notes.push_back(fmt::format(
        "Left out: {} to names that are not nodes of the topology.",
        counted(virtual_links, "link")));
  return found;
}

}  // namespace fabric::description
