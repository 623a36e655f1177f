// SPDX-License-Identifier: Apache-2.0
// IPoIB on the ports of a simulated host and its children: the two modes, and the MTU that the
// broadcast group of the partition leaves (E-ipoib-kernel).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// `mode`: "connected" or "datagram". Also sets the mode's MTU. Returns false if refused, as by
// mlx5's enhanced IPoIB.
bool set_ipoib_mode(LinuxHost& machine, Interface& interface, std::string_view mode);
// False if too large for the mode. In datagram mode an MTU above the group's takes effect later.
bool set_ipoib_mtu(LinuxHost& machine, Interface& interface, std::uint32_t mtu);
// True if joined to the broadcast group of its P_Key: the subnet has a master, the port the key,
// and the master the group. Whether a child's parent is up does not matter.
bool ipoib_carrier(const Network& network, const LinuxHost& machine, const Interface& interface);
// "0x8010" or decimal; nullopt where the kernel refuses it.
std::optional<std::uint16_t> parse_p_key(std::string_view text);
// Updates every interface from its group, as when it joins.
void settle_ipoib(LinuxHost& machine, const Network& network);

}  // namespace fabric::lab
