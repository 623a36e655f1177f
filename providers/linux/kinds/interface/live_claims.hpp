// SPDX-License-Identifier: Apache-2.0
// What runs on a port and no file explains: somebody made it by hand, or by a tool of his own.
#pragma once

#include <string>

#include "engine/provider/file_digests.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"
#include "providers/linux/kinds/interface/link/running_state.hpp"

namespace fabric::providers {

// The node holds one, whichever of its files it is.
bool has_file_of_ours(const Resource& resource, const FileTexts& files);

// What a change of the port would take from somebody, joined by "; ": "ens1 is a port of the
// running bond7", "ens1 has the address 10.1.2.3/24", a VLAN on it, a virtual function that a guest
// has, a shaper, an XDP program. Addresses that came by DHCP are left out: the DHCP client of the
// node renews them. Where the node holds a file of ours for the port, whatever differs is drift,
// which is mended, and "" is returned.
std::string live_claims(
    const Resource& resource,
    const FoundLink& link,
    const RunningLinks& links,
    const NodeFacts& facts,
    const FileTexts& files);

}  // namespace fabric::providers
