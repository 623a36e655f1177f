// SPDX-License-Identifier: Apache-2.0
// Which ends of cables have a subnet of their own with `per: cable`.
#pragma once

#include <set>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric {

// Between two hosts, or a host and a switch that routes (PlatformTraits::routes_ports).
bool has_cable_subnet(const FabricSpec& spec, const CableSpec& cable);
// The ends of all such cables.
std::set<PortRef> cable_ports(const FabricSpec& spec, const std::vector<CableSpec>& cables);

}  // namespace fabric
