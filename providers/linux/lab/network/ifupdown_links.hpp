// SPDX-License-Identifier: Apache-2.0
// Bonds and VLANs of ifupdown: VLANs it makes itself, bonds the hooks of package ifenslave make,
// and ifupdown2 does both without help.
#pragma once

#include <string>

#include "providers/linux/lab/network/ifupdown.hpp"

namespace fabric::lab {

inline constexpr const char* kIfenslaveUp = "/etc/network/if-pre-up.d/ifenslave";
inline constexpr const char* kIfenslaveDown = "/etc/network/if-post-down.d/ifenslave";

// "" or the message of what failed. Nothing is done for a stanza that is no VLAN.
std::string make_vlan(Process& process, const IfupdownStanza& stanza);
void unmake_vlan(Process& process, const IfupdownStanza& stanza);
// Of a bridge (bridge-ports), by ifupdown2 alone; ports that are not there are brought up first.
void make_bridge(Process& process, const IfupdownFile& file, const IfupdownStanza& stanza);
void unmake_bridge(Process& process, const IfupdownStanza& stanza);
// Of a bond (bond-slaves, bond-mode) or of a slave (bond-master). Without the hook nothing happens,
// and nothing is said. What fails is said and stops nothing, as the hook does it.
void make_bond(Process& process, const IfupdownFile& file, const IfupdownStanza& stanza);
void unmake_bond(Process& process, const IfupdownStanza& stanza);

}  // namespace fabric::lab
