#include "engine/model/expand_refused.hpp"

#include <fmt/format.h>

namespace fabric {

namespace {

void refuse_node(const NodeSpec& node, Diagnostics& diagnostics) {
  if (node.state.value != NodeState::managed) return;
  if (node.platform.value != Platform::linux && node.platform.value != Platform::unmanaged) {
    refuse(
        node.platform.range,
        fmt::format("platform {}", to_string(node.platform.value)),
        diagnostics);
  }
  if (node.mlag) refuse(node.mlag->domain.range, "`mlag`", diagnostics);
}

}  // namespace

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
