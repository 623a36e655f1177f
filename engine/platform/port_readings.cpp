// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/port_readings.hpp"

#include <algorithm>

namespace fabric::platform {

const RdmaPort* PortReadings::rdma_of(
    const std::string& interface, const PciAddress& card, std::uint32_t port_number) const {
  const auto first = [&](auto test) {
    const auto found = std::ranges::find_if(rdma, test);
    return found == rdma.end() ? nullptr : &*found;
  };
  const RdmaPort* found = first([&](const RdmaPort& port) {
    return std::ranges::any_of(port.gids, [&](const Gid& gid) { return gid.netdev == interface; });
  });
  if (found != nullptr) return found;
  const std::string function = card.with_function(card.function() + port_number - 1).str();
  found = first([&](const RdmaPort& port) { return port.pci == function && port.number == 1; });
  if (found != nullptr) return found;
  const std::string base = card.str();
  found =
      first([&](const RdmaPort& port) { return port.pci == base && port.number == port_number; });
  if (found != nullptr) return found;
  return first([&](const RdmaPort& port) {
    return port.pci == base && port.device.find("bond") != std::string::npos;
  });
}

}  // namespace fabric::platform
