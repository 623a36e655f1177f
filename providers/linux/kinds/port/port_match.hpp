// SPDX-License-Identifier: Apache-2.0
// How the files of other programs name one port of a card, whatever name its interface has.
#pragma once

#include <string>

#include "providers/linux/kinds/adapter/inventory.hpp"

namespace fabric::providers {

// Of systemd's .network and .link files: "Path=pci-0000:01:00.0\nType=ether\n", so that it holds
// while the name changes with the link type; where both ports sit behind one function, or
// representors beside the port, by the burnt-in MAC address. "" if the port has no such address to
// go by.
std::string systemd_match(const Card& card, const AdapterPort& port);

// Of udev's rules: `ACTION=="add", SUBSYSTEM=="net", KERNELS=="0000:01:00.0", ... , `, for an
// assignment to follow. A port has another interface of each link type; of IPoIB its own one, not
// those of P_Keys; beside representors the one that the kernel calls a port of the card.
std::string udev_port_match(const Card& card, const AdapterPort& port, bool infiniband);

}  // namespace fabric::providers
