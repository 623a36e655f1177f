// SPDX-License-Identifier: Apache-2.0
#include "engine/description/identity.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/subnet/node_description.hpp"

namespace fabric::description {

Identities::Identities(const Description& known) {
  for (const auto& [name, node] : known.nodes) {
    by_name_.emplace(to_lower(name), name);
    by_label_[host_label(name)].push_back(name);
    if (!node.address.empty()) by_address_.emplace(to_lower(node.address), name);
    if (!node.node_guid.empty()) by_switch_guid_.emplace(node.node_guid, name);
    for (const auto& [adapter, card] : node.adapters)
      add_adapter(name, adapter, card);
  }
  for (const auto& [name, node] : known.nodes)
    for (const std::string& alias : node.aliases)
      by_name_.emplace(to_lower(alias), name);
}

void Identities::add_adapter(
    const std::string& node, const std::string& name, const Adapter& adapter) {
  if (!adapter.serial.empty()) by_serial_.emplace(adapter.serial, std::pair{node, name});
  for (const auto& [number, port] : adapter.evidence) {
    const End end{node, name, std::to_string(number)};
    if (!port.node_guid.empty()) by_node_guid_[port.node_guid].push_back(end);
    if (!port.port_guid.empty()) by_port_guid_.emplace(port.port_guid, end);
    for (const std::string& mac : port.macs)
      by_mac_[mac].push_back(end);
    for (const std::string& device : port.devices)
      by_device_[{node, device}].push_back(end);
  }
}

std::string Identities::node_by_evidence(const Node& node) const {
  const auto is_switch = by_switch_guid_.find(node.node_guid);
  if (!node.node_guid.empty() && is_switch != by_switch_guid_.end()) return is_switch->second;
  for (const auto& [name, adapter] : node.adapters) {
    for (const auto& [number, port] : adapter.evidence)
      if (const std::optional<End> end = port_by_evidence(adapter, number)) return end->node;
  }
  return {};
}

const std::vector<std::string>& Identities::nodes_by_label(const std::string& name) const {
  static const std::vector<std::string> none;
  const auto found = by_label_.find(host_label(name));
  return found == by_label_.end() ? none : found->second;
}

std::string Identities::node_by_name(const std::string& name, const Node& node) const {
  const auto named = by_name_.find(to_lower(name));
  if (named != by_name_.end()) return named->second;
  if (nodes_by_label(name).size() == 1) return nodes_by_label(name).front();
  for (const std::string& address : {to_lower(node.address), to_lower(name)}) {
    const auto found = by_address_.find(address);
    if (found != by_address_.end()) return found->second;
  }
  return {};
}

std::optional<End> Identities::port_by_evidence(
    const Adapter& adapter, std::uint32_t number) const {
  const auto told = adapter.evidence.find(number);
  if (told != adapter.evidence.end()) {
    const PortEvidence& port = told->second;
    const auto by_node = by_node_guid_.find(port.node_guid);
    const auto by_port = by_port_guid_.find(port.port_guid);
    if (!port.node_guid.empty() && by_node != by_node_guid_.end()) {
      const std::vector<End>& ends = by_node->second;
      if (ends.size() == 1) return ends.front();
      if (!port.port_guid.empty() && by_port != by_port_guid_.end()) return by_port->second;
      const auto same = std::find_if(ends.begin(), ends.end(), [number](const End& end) {
        return end.port == std::to_string(number);
      });
      if (same != ends.end()) return *same;
    }
    if (!port.port_guid.empty() && by_port != by_port_guid_.end()) return by_port->second;
    for (const std::string& mac : port.macs) {
      const auto by_mac = by_mac_.find(mac);
      if (by_mac != by_mac_.end() && by_mac->second.size() == 1) return by_mac->second.front();
    }
  }
  const auto card = by_serial_.find(adapter.serial);
  if (adapter.serial.empty() || card == by_serial_.end()) return std::nullopt;
  return End{card->second.first, card->second.second, std::to_string(number)};
}

std::optional<End> Identities::port_by_device(
    const std::string& node, const std::string& adapter, const PortEvidence* evidence) const {
  std::set<std::string> names{to_lower(adapter)};
  if (evidence != nullptr) names.insert(evidence->devices.begin(), evidence->devices.end());
  std::optional<End> found;
  for (const std::string& name : names) {
    const auto ends = by_device_.find({node, name});
    if (ends == by_device_.end()) continue;
    if (ends->second.size() > 1 || (found && *found != ends->second.front())) return std::nullopt;
    found = ends->second.front();
  }
  return found;
}

}  // namespace fabric::description
