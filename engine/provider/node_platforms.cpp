// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/node_platforms.hpp"

namespace fabric::platform {

NodePlatforms platforms_of(
    const std::vector<NodeName>& nodes, const FabricSpec& spec, const Registry& registry) {
  NodePlatforms platforms;
  for (const NodeName& node : nodes)
    platforms.emplace(node, &platform_of(node, spec, registry));
  return platforms;
}

const HostPlatform& platform_of(
    const NodeName& node, const FabricSpec& spec, const Registry& registry) {
  return registry.host(spec.nodes.at(node).platform.value);
}

}  // namespace fabric::platform
