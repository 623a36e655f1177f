// SPDX-License-Identifier: Apache-2.0
// The ends of cables that have a subnet of their own by `per: cable`.
#pragma once

#include <set>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric {

// True between two hosts, or a host and a switch that routes (PlatformTraits::routes_ports).
bool has_cable_subnet(const FabricSpec& spec, const CableSpec& cable);
// The ends of all cables with has_cable_subnet().
std::set<PortRef> cable_ports(const FabricSpec& spec, const std::vector<CableSpec>& cables);

}  // namespace fabric
