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
};

bool has_provider(Platform platform) {
  return platform == Platform::linux || platform == Platform::unmanaged;
}

void refuse_node(const NodeSpec& node, Diagnostics& diagnostics) {
  if (!is_unsupported(node)) return;
  if (!has_provider(node.platform.value)) {
    refuse(
        node.platform.range,
        fmt::format("platform {}", to_string(node.platform.value)),
        diagnostics);
  }
  if (node.mlag) refuse(node.mlag->domain.range, "`mlag`", diagnostics);
}

}  // namespace

RuleRows refused_rules() {
  return kRules;
}

bool is_unsupported(const NodeSpec& node) {
  return node.state.value == NodeState::managed &&
         (!has_provider(node.platform.value) || node.mlag);
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
  for (const auto& [name, node] : spec.nodes)
    refuse_node(node, diagnostics);
}

}  // namespace fabric
