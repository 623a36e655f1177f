#include "engine/platform/node_platforms.hpp"

namespace fabric::platform {

NodePlatforms platforms_of(
    const std::vector<NodeName>& nodes, const FabricSpec& spec, const Registry& registry) {
  NodePlatforms platforms;
  for (const NodeName& node : nodes)
    platforms.emplace(node, &registry.host(spec.nodes.at(node).platform.value));
  return platforms;
}

}  // namespace fabric::platform
