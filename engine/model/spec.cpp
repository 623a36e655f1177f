// SPDX-License-Identifier: Apache-2.0
#include "engine/model/spec.hpp"

#include <algorithm>

#include "engine/base/check.hpp"

namespace fabric {

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::infiniband:
      return "infiniband";
    case Mode::ethernet:
      return "ethernet";
    case Mode::chain:
      return "chain";
    case Mode::lag:
      return "lag";
  }
  report_bug(__FILE__, __LINE__, "unknown mode");
}

std::string_view to_string(Transit transit) {
  switch (transit) {
    case Transit::none:
      return "none";
    case Transit::by_static:
      return "static";
    case Transit::by_frr:
      return "frr";
  }
  report_bug(__FILE__, __LINE__, "unknown transit");
}

std::string_view to_string(NodeState state) {
  switch (state) {
    case NodeState::managed:
      return "managed";
    case NodeState::observe:
      return "observe";
    case NodeState::absent:
      return "absent";
    case NodeState::offline:
      return "offline";
  }
  report_bug(__FILE__, __LINE__, "unknown node state");
}

std::string_view to_string(Redundancy policy) {
  return policy == Redundancy::keep ? "keep" : "report";
}

std::string_view to_string(PathsLost policy) {
  switch (policy) {
    case PathsLost::report:
      return "report";
    case PathsLost::ask:
      return "ask";
    case PathsLost::refuse:
      return "refuse";
  }
  report_bug(__FILE__, __LINE__, "unknown answer to lost paths");
}

std::string_view to_string(NetworkBackend backend) {
  switch (backend) {
    case NetworkBackend::automatic:
      return "auto";
    case NetworkBackend::ifupdown:
      return "ifupdown";
    case NetworkBackend::ifcfg:
      return "ifcfg";
    case NetworkBackend::networkmanager:
      return "networkmanager";
    case NetworkBackend::netplan:
      return "netplan";
    case NetworkBackend::networkd:
      return "networkd";
  }
  report_bug(__FILE__, __LINE__, "unknown network backend");
}

bool has_transit(const NetworkSpec& network) {
  return network.transit.value == Transit::by_static && network.mode.value == Mode::ethernet &&
         network.loopback && !network.loopback->addresses.empty();
}

bool carrier_proves(const FabricSpec& spec, const CableSpec& cable) {
  const auto says = [&spec](const PortRef& port) {
    const auto node = spec.nodes.find(port.node);
    return node != spec.nodes.end() && !node->second.proof.value.empty();
  };
  return !cable.proof.empty() || says(cable.a.value) || says(cable.b.value);
}

const AdapterSpec* NodeSpec::find_adapter(std::string_view adapter) const {
  const auto found = std::find_if(adapters->begin(), adapters->end(), [&](const AdapterSpec& each) {
    return each.name == adapter;
  });
  return found == adapters->end() ? nullptr : &*found;
}

std::vector<PortRef> NetworkSpec::member_ports() const {
  std::vector<PortRef> members;
  members.reserve(cables.size() * 2 + ports.size());
  for (const CableSpec& cable : cables) {
    members.push_back(cable.a.value);
    members.push_back(cable.b.value);
  }
  for (const Sourced<PortRef>& port : ports)
    members.push_back(port.value);
  // A node set gives them in order.
  if (!std::is_sorted(members.begin(), members.end())) std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

const NodeSpec* FabricSpec::find_node(std::string_view node_name) const {
  const Result<NodeName> parsed = NodeName::parse(node_name);
  if (!parsed) return nullptr;
  const auto found = nodes.find(*parsed);
  return found == nodes.end() ? nullptr : &found->second;
}

const HooksSpec& hooks_of(const FabricSpec& spec, const NodeSpec& node) {
  const bool own_only = traits(node.platform.value).own_hooks_only ||
                        (spec.hooks.hosts_only.value && is_switch(node.platform.value));
  return own_only || !node.hooks->empty() ? *node.hooks : spec.hooks;
}

const LagSpec* lag_of(const NetworkSpec& network) {
  if (network.mode.value == Mode::lag) return network.lag ? &*network.lag : nullptr;
  const bool bonded =
      network.mode.value == Mode::infiniband && network.ipoib && network.ipoib->bond;
  return bonded ? &*network.ipoib->bond : nullptr;
}

bool is_made_elsewhere(const NetworkSpec& network, const NodeSpec& node) {
  return network.mode.value == Mode::lag && network.lag && !network.lag->made_by.value.empty() &&
         traits(node.platform.value).virtual_switches;
}

bool is_reached(const FabricSpec& spec, const NodeSpec& node) {
  return spec.reached.contains(node.platform.value) && !is_offline(node);
}

bool is_offline(const NodeSpec& node) {
  return node.state.value == NodeState::offline;
}

bool is_offline(const FabricSpec& spec, const NodeName& node) {
  const auto found = spec.nodes.find(node);
  return found != spec.nodes.end() && is_offline(found->second);
}

bool is_host_of_ours(const FabricSpec& spec, const NodeSpec& node) {
  return spec.reached.contains(node.platform.value) && node.state.value != NodeState::absent;
}

}  // namespace fabric
