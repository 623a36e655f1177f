// SPDX-License-Identifier: Apache-2.0
// The host ports that hear each other's broadcasts, and so each other's questions by ARP.
#pragma once

#include <map>

#include "engine/model/spec.hpp"

namespace fabric {

// For each switch: the first by name of the switches that forward to each other, because they are
// cabled together outside of InfiniBand or are a pair (mlag).
std::map<NodeName, NodeName> joined_switches(const FabricSpec& spec);

// For each host port that is cabled to a switch in a network other than InfiniBand: its part of
// joined_switches(). Ports with one switch are in one broadcast domain. VLANs are ignored, because
// those of an unmanaged switch are unknown.
std::map<PortRef, NodeName> broadcast_domains(const FabricSpec& spec);

}  // namespace fabric
