// SPDX-License-Identifier: Apache-2.0
// The mark of bonds and port channels that fabric made at a switch: a switch keeps no file of
// fabric's, so the description of the channel names the owner, "fabric:NAME" with the name of the
// document.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/resource.hpp"

namespace fabric {

// The mark. REQUIRES: a resource of kind bond at a switch by expansion (keys::kFabric).
std::string channel_mark(const Resource& bond);

// The document that made the channel with this description; "" = no mark of fabric.
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
