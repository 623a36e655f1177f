// SPDX-License-Identifier: Apache-2.0
// Which host ports hear each other's broadcasts, and so each other's questions by ARP.
#pragma once

#include <map>

#include "engine/model/spec.hpp"

namespace fabric {

// Of each switch the one that stands first by name among those that forward to each other, because
// they are cabled together outside of InfiniBand or are a pair (mlag).
std::map<NodeName, NodeName> joined_switches(const FabricSpec& spec);

// For each host port that is cabled to a switch in a network that is not InfiniBand: its part of
// joined_switches(). Ports with one switch are in one broadcast domain. VLANs are not looked at,
// because the VLANs of an unmanaged switch are unknown.
std::map<PortRef, NodeName> broadcast_domains(const FabricSpec& spec);

}  // namespace fabric
