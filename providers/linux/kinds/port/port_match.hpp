// SPDX-License-Identifier: Apache-2.0
// How files of other programs select one port of a card, whatever name its interface has.
#pragma once

#include <string>

#include "providers/linux/kinds/adapter/inventory.hpp"

namespace fabric::providers {

// The match of systemd's .network and .link files: "Path=pci-0000:01:00.0\nType=ether\n", which
// holds while the name changes with the link type; by the burnt-in MAC address where both ports
// have one PCI function, or where the port has representors. "" if the port has no such address.
std::string systemd_match(const Card& card, const AdapterPort& port);

// The match of a udev rule, before an assignment: `ACTION=="add", SUBSYSTEM=="net",
// KERNELS=="0000:01:00.0", ... , `. It selects the interface of one link type: for IPoIB not those
// of P_Keys; beside representors the one that the kernel calls a port of the card.
std::string udev_port_match(const Card& card, const AdapterPort& port, bool infiniband);

}  // namespace fabric::providers
