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

// REQUIRES: a resource of kind bond at a switch, as expansion makes it (keys::kFabric).
std::string channel_mark(const Resource& bond);

// The document that made the channel with this description; "" = no mark of ours.
std::string_view made_by(std::string_view description);

// A channel as a switch has it.
struct MarkedChannel {
  std::string name;                // by the switch: "bond7", "mlag-port-channel 7"
  std::string description;         // may be quoted
  std::vector<std::string> ports;  // as documents write them, the lowest first
};

// The channels with a mark that are none of `wanted`, as resources of kind bond: {switch_ports,
// bond: its name at the switch, fabric}, which lie on the interfaces of their ports. One that has a
// port of a wanted bond becomes that bond.
std::vector<Resource> left_channels(
    std::span<const Resource> wanted,
    const NodeName& node,
    const std::vector<MarkedChannel>& channels);

}  // namespace fabric
