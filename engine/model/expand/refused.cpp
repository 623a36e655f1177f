// SPDX-License-Identifier: Apache-2.0
#include "engine/model/expand/refused.hpp"

#include <fmt/format.h>

namespace fabric {

namespace {

constexpr RuleInfo kRules[] = {
    {"not-supported-yet",
     Severity::error,
     RuleStage::plan,
     "The document is right, but no provider can do this yet. The plan refuses it by name and "
     "applies no part of it.",
     "E-no-provider: README.md, what works",
     "Remove the key for now, or set the node to `state: observe`."},
    {"virtual-switch-by-hand",
     Severity::warning,
     RuleStage::plan,
     "Addresses, MTUs and VLANs of an ESX host belong to its virtual switches and port groups, "
     "which fabric does not make. The drivers beneath them are set.",
     "E-esx-virtual-switch: Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, installation "
     "guide "
     "rev. 1.30, 4.4.2",
     "Set them in the VI client, or with esxcfg-vswitch and esxcfg-vmknic on the host."},
};

// Nothing is ever asked of an unmanaged switch.
bool has_provider(const FabricSpec& spec, const NodeSpec& node) {
  return is_reached(spec, node) || !traits(node.platform.value).is_managed;
}

// For a managed switch the pair is a resource, which its providers accept or not. For an unmanaged
// one it is a statement about the work of a person.
bool has_no_pair(const FabricSpec& spec, const NodeSpec& node) {
  if (!node.mlag || !traits(node.platform.value).is_managed) return false;
  return !(is_switch(node.platform.value) && is_reached(spec, node));
}

void refuse_node(const FabricSpec& spec, const NodeSpec& node, Diagnostics& diagnostics) {
  if (!is_unsupported(spec, node)) return;
  if (!has_provider(spec, node)) {
    refuse(
        node.platform.range,
        fmt::format("platform {}", to_string(node.platform.value)),
        diagnostics);
  }
  if (has_no_pair(spec, node)) refuse(node.mlag->domain.range, "`mlag`", diagnostics);
}

}  // namespace

RuleRows refused_rules() {
  return kRules;
}

bool is_unsupported(const FabricSpec& spec, const NodeSpec& node) {
  return node.state.value == NodeState::managed &&
         (!has_provider(spec, node) || has_no_pair(spec, node));
}

void refuse(SourceRange range, std::string_view written, Diagnostics& diagnostics) {
  diagnostics
      .error(
          "not-supported-yet",
          range,
          fmt::format("{} is understood, but no provider does it yet", written))
      .with_help("remove it, or set the nodes to `state: observe`; nothing is applied in part");
}

void refuse_unsupported(const FabricSpec& spec, Diagnostics& diagnostics) {
  for (const auto& [name, node] : spec.nodes) {
    const About about{diagnostics, name};
    refuse_node(spec, node, diagnostics);
  }
}

}  // namespace fabric
