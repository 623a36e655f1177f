// SPDX-License-Identifier: Apache-2.0
// A network device of a node with hardware, as its system shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/model/names.hpp"

namespace fabric {

struct NetDevice {
  std::string name;
  std::optional<PciAddress> pci;
  std::uint32_t dev_port = 0;  // 0-based port behind one PCI function (mlx4)
  std::optional<MacAddress> mac;
  // Unknown while the device is set down: then it shows none.
  std::optional<bool> carrier;
  std::string operstate;                   // "up", "down", ...; "" = unknown
  std::optional<std::int64_t> speed_mbps;  // unknown without a link
  std::optional<std::int64_t> mtu;
  // "p0", "pf0vf0", and the switch inside of the card with this port (uplink.hpp).
  std::string phys_port_name{}, phys_switch_id{};
  // The forward error correction in use at a port of a switch, in the switch's words; "" = unknown.
  std::string fec{};
};

}  // namespace fabric
