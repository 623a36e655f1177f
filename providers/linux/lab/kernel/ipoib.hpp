// SPDX-License-Identifier: Apache-2.0
// IPoIB on the ports of a simulated host: its two modes, and the MTU that the broadcast group of
// the default partition leaves (E-ipoib-kernel).
#pragma once

#include <string_view>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// "connected" or "datagram". False: refused, as mlx5's enhanced IPoIB does. The mode brings its
// MTU.
bool set_ipoib_mode(LinuxHost& machine, Interface& interface, std::string_view mode);
// False: too large for the mode. In datagram mode what the group can't carry is taken and waits.
bool set_ipoib_mtu(LinuxHost& machine, Interface& interface, std::uint32_t mtu);
// Joined to the broadcast group: there is a master and it has one.
bool ipoib_carrier(const Network& network, const LinuxHost& machine, const Interface& interface);
// Every interface follows its group, as it does when it joins.
void settle_ipoib(LinuxHost& machine, const Network& network);

}  // namespace fabric::lab
