// SPDX-License-Identifier: Apache-2.0
// Bonds and VLANs of ifupdown: it makes VLANs itself, the hooks of package ifenslave make bonds,
// and ifupdown2 makes both.
#pragma once

#include <string>

#include "providers/linux/lab/network/ifupdown.hpp"

namespace fabric::lab {

inline constexpr const char* kIfenslaveUp = "/etc/network/if-pre-up.d/ifenslave";
inline constexpr const char* kIfenslaveDown = "/etc/network/if-post-down.d/ifenslave";

// Returns "" or an error. No effect for a stanza that is no VLAN.
std::string make_vlan(Process& process, const IfupdownStanza& stanza);
void unmake_vlan(Process& process, const IfupdownStanza& stanza);
// Makes a bridge (bridge-ports), only in ifupdown2; missing ports are brought up first.
void make_bridge(Process& process, const IfupdownFile& file, const IfupdownStanza& stanza);
void unmake_bridge(Process& process, const IfupdownStanza& stanza);
// For the stanza of a bond (bond-slaves, bond-mode) or of a slave (bond-master). Without the hook
// it does nothing, silently. An error is printed and stops nothing, as in the hook.
void make_bond(Process& process, const IfupdownFile& file, const IfupdownStanza& stanza);
void unmake_bond(Process& process, const IfupdownStanza& stanza);

}  // namespace fabric::lab
