// SPDX-License-Identifier: Apache-2.0
// Which platform each of some nodes is of.
#pragma once

#include <map>
#include <vector>

#include "engine/base/node_name.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/provider/registry.hpp"

namespace fabric::platform {

// In order of name; never null.
using NodePlatforms = std::map<NodeName, const HostPlatform*>;

// REQUIRES: each is a node of `spec` that is reached (model/spec.hpp) and whose platform `registry`
// has.
NodePlatforms platforms_of(
    const std::vector<NodeName>& nodes, const FabricSpec& spec, const Registry& registry);

// REQUIRES: as above.
const HostPlatform& platform_of(
    const NodeName& node, const FabricSpec& spec, const Registry& registry);

}  // namespace fabric::platform
