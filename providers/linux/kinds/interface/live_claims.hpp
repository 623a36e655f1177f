// SPDX-License-Identifier: Apache-2.0
// Running configuration of a port that no file explains: a person or another tool has made it.
#pragma once

#include <string>

#include "engine/provider/file_digests.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"
#include "providers/linux/kinds/interface/link/running_state.hpp"

namespace fabric::providers {

// The node holds one, whichever of its files it is.
bool has_file_of_ours(const Resource& resource, const FileTexts& files);

// The running uses that a change of the port would break, joined by "; ": "ens1 is a port of the
// running bond7", "ens1 has the address 10.1.2.3/24", a VLAN on it, a virtual function that a guest
// has, a shaper, an XDP program. Addresses that came by DHCP are left out: the DHCP client of the
// node renews them. Where the node holds a file of fabric for the port, every difference is drift,
// which is mended, and "" is returned.
std::string live_claims(
    const Resource& resource,
    const FoundLink& link,
    const RunningLinks& links,
    const NodeFacts& facts,
    const FileTexts& files);

}  // namespace fabric::providers
