// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/port_match.hpp"

#include <fmt/format.h>

namespace fabric::providers {

std::string systemd_match(const Card& card, const AdapterPort& port) {
  if (!card.shares_function()) {
    return fmt::format("Path=pci-{}\nType=ether\n", port.function.str());
  }
  if (!port.permanent_mac) return {};
  return fmt::format("PermanentMACAddress={}\nType=ether\n", port.permanent_mac->str());
}

// ARPHRD_ETHER or ARPHRD_INFINIBAND; dev_port counts from 0 within the function.
std::string udev_port_match(const Card& card, const AdapterPort& port, bool infiniband) {
  return fmt::format(
      R"(ACTION=="add", SUBSYSTEM=="net", KERNELS=="{}", ATTR{{dev_port}}=="{}", ATTR{{type}}=="{}", {})",
      port.function.str(),
      card.shares_function() ? port.number - 1 : 0,
      infiniband ? 32 : 1,
      infiniband ? R"(KERNEL!="*.*", )" : "");
}

}  // namespace fabric::providers
