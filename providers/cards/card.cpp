// SPDX-License-Identifier: Apache-2.0
#include "providers/cards/card.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/model/hardware.hpp"

namespace fabric::providers {

const AdapterPort* Card::find_port(std::uint32_t number) const {
  const auto found = std::ranges::find_if(
      ports, [number](const AdapterPort& port) { return port.number == number; });
  return found == ports.end() ? nullptr : &*found;
}

bool Card::shares_function() const {
  return ports.size() > 1 && ports.front().function == ports.back().function;
}

std::string Card::text() const {
  const std::vector<const HardwareModel*> models = hardware_by_device(device_id);
  std::string what =
      models.empty() ? fmt::format("device {:04x}", device_id) : models.front()->family;
  if (!serial.empty()) what += ", serial " + serial;
  for (const AdapterPort& port : ports) {
    if (port.node_guid && serial.empty()) {
      what += ", node GUID " + port.node_guid->str();
      break;
    }
  }
  return fmt::format("{} ({})", address.str(), what);
}

}  // namespace fabric::providers
