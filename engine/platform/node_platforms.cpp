// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/node_platforms.hpp"

namespace fabric::platform {

NodePlatforms platforms_of(
    const std::vector<NodeName>& nodes, const FabricSpec& spec, const Registry& registry) {
  NodePlatforms platforms;
  for (const NodeName& node : nodes)
    platforms.emplace(node, &registry.host(spec.nodes.at(node).platform.value));
  return platforms;
}

const PingTests* ping_tests_of(
    const NodeName& node, const FabricSpec& spec, const Registry& registry) {
  return registry.host(spec.nodes.at(node).platform.value).ping_tests();
}

const PathTests* path_tests_of(
    const NodeName& node, const FabricSpec& spec, const Registry& registry) {
  return registry.host(spec.nodes.at(node).platform.value).path_tests();
}

const PortCounters* port_counters_of(
    const NodeName& node, const FabricSpec& spec, const Registry& registry) {
  return registry.host(spec.nodes.at(node).platform.value).port_counters();
}

}  // namespace fabric::platform
