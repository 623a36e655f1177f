// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/wire_switches.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::verify {

WireSwitches::WireSwitches(const FabricSpec& spec, const WirePorts& ports) : ports_{ports} {
  const std::vector<WireNode>& nodes = ports.nodes();
  described_.resize(nodes.size());
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    if (nodes[index].type != IbNodeType::switch_node) continue;
    described_[index] = describe_switch(nodes[index].name);
    named_[described_[index].name].push_back(index);
  }
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (const PortRef& port : network.member_ports()) {
      if (!port.adapter.empty()) continue;
      Found& found = found_[port.node];
      if (!found.like) found.like = SwitchPort::parse(port.port);
    }
  }
  for (const auto& [name, node] : spec.nodes) {
    if (is_switch(node.platform.value)) find(node);
  }
}

void WireSwitches::find(const NodeSpec& node) {
  Found& found = found_[node.name];
  if (node.node_guid.value.empty()) {
    take_named(node, found);
  } else {
    const Result<Guid> guid = Guid::parse(node.node_guid.value);
    if (guid) found.index = ports_.node_of(*guid);
    if (!found.index) {
      found.not_seen = true;
      found.why_not =
          fmt::format("{} ({}) was not seen in the subnet", node.name.str(), node.node_guid.value);
    } else if (
        described_[*found.index].module_kind != '\0' && found.like &&
        found.like->numbers.size() == 3) {
      // Else the document has this chip of the director as a switch of its own.
      take_chassis(named_.at(described_[*found.index].name), found);
    }
  }
  if (found.index) {
    owners_.emplace(*found.index, &node);
    std::string model = described_[*found.index].model;
    if (model.empty()) model = node.model.value;
    found.ports = switch_ports(model, ports_.nodes()[*found.index].port_count);
    // One switch is no director, whatever model it is said to have.
    if (found.ports == SwitchPorts::modules) found.ports = SwitchPorts::unknown;
  }
  for (const auto& [module, index] : found.modules)
    owners_.emplace(index, &node);
}

void WireSwitches::take_named(const NodeSpec& node, Found& found) const {
  const auto named = named_.find(to_lower(node.name.str()));
  if (named == named_.end()) {
    found.not_seen = true;
    found.why_not = fmt::format("no switch of the subnet has the name {}", node.name.str());
    return;
  }
  if (described_[named->second.front()].module_kind != '\0')
    return take_chassis(named->second, found);
  if (named->second.size() > 1) {
    found.why_not = fmt::format(
        "{} switches of the subnet have the name {}", named->second.size(), node.name.str());
    return;
  }
  found.index = named->second.front();
}

void WireSwitches::take_chassis(const std::vector<std::size_t>& indexes, Found& found) const {
  found.index.reset();
  found.ports = SwitchPorts::modules;
  for (const std::size_t index : indexes) {
    const SwitchDescription& described = described_[index];
    const Module module{described.module_kind, described.module, described.asic};
    if (described.module_kind != '\0' && found.modules.emplace(module, index).second) continue;
    found.modules.clear();
    found.why_not = fmt::format("two switches of the subnet have the name {}", described.name);
    return;
  }
}

Place WireSwitches::place(const PortRef& port) const {
  const auto known = found_.find(port.node);
  if (known == found_.end()) return {{}, {}, port.node.str() + " is unknown", WireLack::node};
  const Found& found = known->second;
  if (!found.why_not.empty()) return {{}, {}, found.why_not, WireLack::node};
  const std::optional<SwitchPort> written = SwitchPort::parse(port.port);
  const std::int64_t count = found.index ? ports_.nodes()[*found.index].port_count : 0;
  const auto number = written ? subnet_port_number(*written, found.ports, count) : std::nullopt;
  const auto unknown = [&](const std::string& why) {
    return Place{
        {},
        {},
        fmt::format("it is not known which port of the subnet {} is: {}", port.str(), why),
        WireLack::number};
  };
  if (!number)
    return unknown("the number of the port depends on the switch and on how its ports are split");
  if (found.index) return {WirePlace{*found.index, *number}, {}, {}, {}};
  const char kind = written->module_kind == 'S' ? 's' : 'l';
  const auto module = found.modules.find({kind, written->numbers[0], written->numbers[1]});
  if (module == found.modules.end())
    return unknown("the subnet shows no switch for this module of the director");
  return {WirePlace{module->second, *number}, {}, {}, {}};
}

const NodeSpec* WireSwitches::owner(std::size_t index) const {
  const auto owner = owners_.find(index);
  return owner == owners_.end() ? nullptr : owner->second;
}

bool WireSwitches::is_found(const NodeName& node) const {
  const auto found = found_.find(node);
  return found != found_.end() && found->second.why_not.empty();
}

PortRef WireSwitches::port_at(const WirePlace& place) const {
  const NodeName& name = owners_.at(place.node)->name;
  const Found& found = found_.at(name);
  if (found.index) {
    const SwitchPort plain{SwitchPort::Form::numbers, {place.port}, '\0'};
    return {name, "", native_port_name(place.port, found.like.value_or(plain), found.ports)};
  }
  const SwitchDescription& described = described_[place.node];
  const char kind = described.module_kind == 's' ? 'S' : 'L';
  const SwitchPort port{
      SwitchPort::Form::module, {described.module, described.asic, place.port}, kind};
  return {name, "", port.str()};
}

bool WireSwitches::in_one_chassis(std::size_t a, std::size_t b) const {
  return a != b && described_[a].module_kind != '\0' && described_[b].module_kind != '\0' &&
         described_[a].name == described_[b].name;
}

}  // namespace fabric::verify
