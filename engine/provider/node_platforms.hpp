// SPDX-License-Identifier: Apache-2.0
// The platform of each of some nodes.
#pragma once

#include <map>
#include <vector>

#include "engine/base/node_name.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/provider/registry.hpp"

namespace fabric::platform {

// The platform of each node; never null.
using NodePlatforms = std::map<NodeName, const HostPlatform*>;

// REQUIRES: each of `nodes` is reached (model/spec.hpp), and `registry` has its platform.
NodePlatforms platforms_of(
    const std::vector<NodeName>& nodes, const FabricSpec& spec, const Registry& registry);

// REQUIRES: as above.
const HostPlatform& platform_of(
    const NodeName& node, const FabricSpec& spec, const Registry& registry);

}  // namespace fabric::platform
