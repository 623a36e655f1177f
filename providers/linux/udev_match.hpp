// How udev rules name the interface of one port of a card.
#pragma once

#include <string>

#include "providers/linux/adapter/inventory.hpp"

namespace fabric::providers {

// `ACTION=="add", SUBSYSTEM=="net", KERNELS=="0000:01:00.0", ... , `, for an assignment to follow.
// A port has another interface of each link type; of IPoIB its own one, not those of P_Keys.
std::string udev_port_match(const Card& card, const AdapterPort& port, bool infiniband);

}  // namespace fabric::providers
