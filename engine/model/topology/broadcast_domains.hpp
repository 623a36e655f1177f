// SPDX-License-Identifier: Apache-2.0
// Which host ports hear each other's broadcasts, and so each other's questions by ARP.
#pragma once

#include <map>

#include "engine/model/spec.hpp"

namespace fabric {

// Of each host port that is cabled to a switch in a network that is not InfiniBand: the switch that
// stands first by name among those that forward to each other, because they are cabled together or
// are a pair (mlag). Ports with one switch are in one broadcast domain. VLANs are not looked at:
// what a switch that nobody manages does with them can't be told.
std::map<PortRef, NodeName> broadcast_domains(const FabricSpec& spec);

}  // namespace fabric
