// SPDX-License-Identifier: Apache-2.0
// The network devices of a node as the probe "link-state" of its platform prints them.
#pragma once

#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/platform/host_network.hpp"

namespace fabric::platform {

// The id of the probe: for each device with hardware a line "netdev NAME", then "KEY VALUE" for
// pci, address, dev_port, operstate, carrier, speed and mtu as the kernel prints them; in switchdev
// mode also phys_switch_id and phys_port_name.
inline constexpr const char* kLinkStateProbe = "link-state";

// The devices in the probe's output; unknown lines are skipped. Valid as long as the facts.
const std::vector<NetDevice>& devices_of(const NodeFacts& facts);

}  // namespace fabric::platform
