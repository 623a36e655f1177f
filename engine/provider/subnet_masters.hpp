// SPDX-License-Identifier: Apache-2.0
// Whom the InfiniBand ports of a node take for the master of their subnet. The provider of subnet
// managers asks, on every node; `verify` needs the answers also of subnets whose manager is not
// ours.
#pragma once

#include <map>
#include <string>

#include "engine/model/names.hpp"
#include "engine/provider/facts.hpp"

namespace fabric {

// The id of the probe. What `sminfo` printed of a port stands there as "master mlx5_0 1 sminfo:
// ...".
inline constexpr const char* kSubnetManagerProbe = "opensm";

// Port GUID of the master by RDMA port, "mlx5_0/1". A port that nobody answered, or somebody who
// is no master, is left out.
std::map<std::string, Guid> masters_heard(const NodeFacts& facts);

}  // namespace fabric
