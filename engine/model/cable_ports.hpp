// SPDX-License-Identifier: Apache-2.0
// Which ends of cables have a subnet of their own with `per: cable`, and how fast cables are.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric {

// True between two hosts, or a host and a switch that routes (PlatformTraits::routes_ports).
bool has_cable_subnet(const FabricSpec& spec, const CableSpec& cable);
// The ends of all cables with has_cable_subnet().
std::set<PortRef> cable_ports(const FabricSpec& spec, const std::vector<CableSpec>& cables);

// "100", "100G", "100Gb/s", "EDR" in Gb/s of a 4X link; 0 if it is none of them.
std::uint32_t cable_gbps(std::string_view text);

}  // namespace fabric
