// SPDX-License-Identifier: Apache-2.0
// VLANs, addresses and routes at the ports of managed switches and hosts: pings pass where all
// ports of a network are in one wrong VLAN, so each port is compared with the document.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"

namespace fabric::verify {

enum class ComparedAt : std::uint8_t { switches, switches_and_hosts };

// Rules switch-vlan-differs, and switch-vlan-unknown where the switch was asked and its answer does
// not tell. At hosts also rule host-network-differs, of managed hosts: pings pass with a wrong
// prefix, and no address of a route is pinged. An interface without any address has other findings:
// no path of it passes.
std::vector<Diagnostic> network_differences(
    const FabricSpec& spec,
    const std::vector<Resource>& resources,
    const discovery::Snapshot& snapshot,
    ComparedAt where);

}  // namespace fabric::verify
