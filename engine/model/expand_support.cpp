#include "engine/model/expand_support.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fabric {

namespace {

// Names of nodes are left out of the messages on purpose: a key that a profile gives to a thousand
// nodes is one finding at one place.
void refuse(SourceRange range, std::string_view what, Diagnostics& diagnostics) {
  diagnostics
      .error(
          "not-supported-yet",
          range,
          fmt::format("{} is understood, but no provider does it yet", what))
      .with_help("remove it, or set the nodes to `state: observe`; nothing is applied in part");
}

void refuse_adapter(const AdapterSpec& adapter, Diagnostics& diagnostics) {
  const FirmwareSpec& firmware = adapter.firmware;
  if (!firmware.version.value.empty())
    refuse(firmware.version.range, "`firmware.version`", diagnostics);
  if (!firmware.image.value.empty()) refuse(firmware.image.range, "`firmware.image`", diagnostics);
  if (!firmware.psid.value.empty()) refuse(firmware.psid.range, "`firmware.psid`", diagnostics);
  for (const auto& [name, value] : firmware.params) {
    if (!value.value) refuse(value.range, "the firmware parameter value `default`", diagnostics);
  }
  if (adapter.sriov) refuse(adapter.sriov->range, "`sriov`", diagnostics);
}

void refuse_software(const NodeSpec& node, Diagnostics& diagnostics) {
  for (const auto* text : {&node.os.release, &node.os.minimum}) {
    if (is_known(text->range)) refuse(text->range, "`os`", diagnostics);
  }
  for (const auto* text : {&node.software.stack, &node.software.minimum, &node.software.mft}) {
    if (is_known(text->range)) refuse(text->range, "`software`", diagnostics);
  }
  if (!node.software.bundles.empty())
    refuse(node.software.bundles.front().range, "`software.bundles`", diagnostics);
  for (const auto& [module, parameters] : node.modules) {
    for (const auto& [name, value] : parameters)
      refuse(value.range, "`modules`", diagnostics);
  }
  if (!node.packages.empty()) refuse(node.packages.front().range, "`packages`", diagnostics);
  if (!node.tuning.empty()) refuse(node.tuning.front().range, "`tuning`", diagnostics);
  if (!node.sysctl.empty()) refuse(node.sysctl.begin()->second.range, "`sysctl`", diagnostics);
}

void refuse_hooks(const HooksSpec& hooks, Diagnostics& diagnostics) {
  for (const auto* command : {&hooks.before_disruption, &hooks.after_disruption}) {
    if (!command->value.empty()) refuse(command->range, "`hooks`", diagnostics);
  }
}

void refuse_node(const NodeSpec& node, Diagnostics& diagnostics) {
  if (node.state.value == NodeState::absent)
    refuse(node.state.range, "`state: absent`", diagnostics);
  if (node.state.value != NodeState::managed) return;
  if (node.platform.value != Platform::linux && node.platform.value != Platform::unmanaged) {
    refuse(
        node.platform.range,
        fmt::format("platform {}", to_string(node.platform.value)),
        diagnostics);
  }
  refuse_software(node, diagnostics);
  refuse_hooks(node.hooks, diagnostics);
  if (node.adopt.value) refuse(node.adopt.range, "`adopt`", diagnostics);
  if (node.mlag) refuse(node.mlag->domain.range, "`mlag`", diagnostics);
  for (const AdapterSpec& adapter : node.adapters)
    refuse_adapter(adapter, diagnostics);
}

void refuse_ip(const IpSpec& ip, Diagnostics& diagnostics) {
  if (!ip.gateway.value.empty()) refuse(ip.gateway.range, "`gateway`", diagnostics);
  if (!ip.routes.empty()) refuse(ip.routes.front().to.range, "`routes`", diagnostics);
}

bool has_managed_member(const FabricSpec& spec, const NetworkSpec& network) {
  const std::vector<PortRef> members = network.member_ports();
  return std::any_of(members.begin(), members.end(), [&](const PortRef& port) {
    const auto node = spec.nodes.find(port.node);
    return node != spec.nodes.end() && node->second.state.value == NodeState::managed &&
           !is_switch(node->second.platform.value);
  });
}

// The driver of a card of the 2010 generation sets its link type; no firmware tool knows the card.
void refuse_link_types(
    const FabricSpec& spec, const NetworkSpec& network, Diagnostics& diagnostics) {
  for (const PortRef& port : network.member_ports()) {
    const auto node = spec.nodes.find(port.node);
    if (node == spec.nodes.end() || node->second.state.value != NodeState::managed) continue;
    const AdapterSpec* adapter = node->second.find_adapter(port.adapter);
    if (adapter == nullptr || adapter->hardware == nullptr) continue;
    if (!adapter->hardware->vpi() || !adapter->hardware->tool_name.empty()) continue;
    refuse(
        adapter->model.range,
        fmt::format("setting the link type of a {}", adapter->hardware->name),
        diagnostics);
  }
}

void refuse_network(const FabricSpec& spec, const NetworkSpec& network, Diagnostics& diagnostics) {
  if (!has_managed_member(spec, network)) return;
  const Mode mode = network.mode.value;
  if (mode == Mode::infiniband || mode == Mode::lag) {
    refuse(network.mode.range, fmt::format("mode {}", to_string(mode)), diagnostics);
    return;
  }
  if (!network.vlans.empty()) refuse(network.vlans.front().range, "`vlans`", diagnostics);
  if (is_known(network.ipv6.range)) refuse(network.ipv6.range, "`ipv6`", diagnostics);
  refuse_ip(network.ipv4, diagnostics);
  refuse_link_types(spec, network, diagnostics);
}

}  // namespace

void refuse_unsupported(const FabricSpec& spec, Diagnostics& diagnostics) {
  for (const auto& [name, node] : spec.nodes)
    refuse_node(node, diagnostics);
  for (const auto& [name, network] : spec.networks)
    refuse_network(spec, network, diagnostics);
  refuse_hooks(spec.hooks, diagnostics);
  if (!spec.rollout.per.value.empty()) refuse(spec.rollout.per.range, "`rollout.per`", diagnostics);
}

}  // namespace fabric
