// SPDX-License-Identifier: Apache-2.0
// The mark of bonds and port channels that fabric made at a switch, and of ports that it gave an
// address: a switch keeps no file of fabric's, so their description names the owner, "fabric:NAME"
// with the name of the document.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/resource.hpp"

namespace fabric {

// The mark. REQUIRES: a bond, or a port with an address, at a switch by expansion (keys::kFabric).
std::string channel_mark(const Resource& resource);

// The document that made the channel or address with this description; "" = no mark of fabric.
std::string_view made_by(std::string_view description);

// A channel as a switch has it.
struct MarkedChannel {
  std::string name;                // the switch's own: "bond7", "mlag-port-channel 7"
  std::string description;         // may be quoted
  std::vector<std::string> ports;  // in the document's form, the lowest first
};

// The channels with a mark that are not in `wanted`, as resources of kind bond: {switch_ports,
// bond: its name at the switch, fabric}, which lie on the interfaces of their ports. One with a
// port of a wanted bond becomes that bond.
std::vector<Resource> left_channels(
    std::span<const Resource> wanted,
    const NodeName& node,
    const std::vector<MarkedChannel>& channels);

}  // namespace fabric
