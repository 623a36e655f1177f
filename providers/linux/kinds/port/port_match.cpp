// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/port/port_match.hpp"

#include <fmt/format.h>

namespace fabric::providers {

std::string systemd_match(const Card& card, const AdapterPort& port) {
  if (!card.shares_function() && !port.switchdev) {
    return fmt::format("Path=pci-{}\nType=ether\n", port.function.str());
  }
  // Representors have the path and the type of the port, and no burnt-in address.
  if (!port.permanent_mac) return {};
  return fmt::format("PermanentMACAddress={}\nType=ether\n", port.permanent_mac->str());
}

// ARPHRD_ETHER or ARPHRD_INFINIBAND; dev_port counts from 0 within the function.
std::string udev_port_match(const Card& card, const AdapterPort& port, bool infiniband) {
  std::string place;
  if (port.switchdev && !infiniband) {
    if (!port.phys_port_name.empty()) {
      place = fmt::format(R"(ATTR{{phys_port_name}}=="{}", )", port.phys_port_name);
    } else if (port.permanent_mac) {
      place = fmt::format(R"(ATTR{{address}}=="{}", )", port.permanent_mac->str());
    }
  }
  return fmt::format(
      R"(ACTION=="add", SUBSYSTEM=="net", KERNELS=="{}", ATTR{{dev_port}}=="{}", ATTR{{type}}=="{}", {}{})",
      port.function.str(),
      card.shares_function() ? port.number - 1 : 0,
      infiniband ? 32 : 1,
      infiniband ? R"(KERNEL!="*.*", )" : "",
      place);
}

}  // namespace fabric::providers
