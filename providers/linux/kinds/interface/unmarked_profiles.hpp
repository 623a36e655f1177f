// SPDX-License-Identifier: Apache-2.0
// Profiles of fabric's that lost their marker: NetworkManager has migrated an ifcfg file to a
// keyfile, or has written a profile anew. Their id still says of which resource they are.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

// Of kind interface, bond and vlan: those that are none of `wanted`, bound to the cards whose ports
// the profiles name, as orphans.
std::vector<Resource> unmarked_profiles(
    std::span<const Resource> wanted, const NodeFacts& facts, std::string_view kind);

}  // namespace fabric::providers
