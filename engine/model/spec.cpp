#include "engine/model/spec.hpp"

#include <algorithm>

#include "engine/base/check.hpp"

namespace fabric {

std::string_view to_string(Platform platform) {
  switch (platform) {
    case Platform::linux:
      return "linux";
    case Platform::esxi:
      return "esxi";
    case Platform::esx_classic:
      return "esx-classic";
    case Platform::mlnx_os:
      return "mlnx-os";
    case Platform::unmanaged:
      return "unmanaged";
  }
  report_bug(__FILE__, __LINE__, "unknown platform");
}

std::optional<Platform> platform_of(std::string_view written) {
  for (const Platform platform :
       {Platform::linux,
        Platform::esxi,
        Platform::esx_classic,
        Platform::mlnx_os,
        Platform::unmanaged}) {
    if (to_string(platform) == written) return platform;
  }
  return std::nullopt;
}

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

std::string_view to_string(NodeState state) {
  switch (state) {
    case NodeState::managed:
      return "managed";
    case NodeState::observe:
      return "observe";
    case NodeState::absent:
      return "absent";
  }
  report_bug(__FILE__, __LINE__, "unknown node state");
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

bool is_switch(Platform platform) {
  return platform == Platform::mlnx_os || platform == Platform::unmanaged;
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

bool is_reached(const FabricSpec& spec, const NodeSpec& node) {
  return spec.reached.contains(node.platform.value);
}

bool is_host_of_ours(const FabricSpec& spec, const NodeSpec& node) {
  return is_reached(spec, node) && node.state.value != NodeState::absent;
}

}  // namespace fabric
