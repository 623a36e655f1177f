// How systemd's .network and .link files name one port of a card, whatever its interface is called.
#pragma once

#include <string>

#include "providers/linux/adapter/inventory.hpp"

namespace fabric::providers {

// "Path=pci-0000:01:00.0\nType=ether\n", so that it holds while the name changes with the link
// type; where both ports sit behind one function, by the burnt-in MAC address. "" if the port has
// no such address to go by.
std::string systemd_match(const Card& card, const AdapterPort& port);

}  // namespace fabric::providers
