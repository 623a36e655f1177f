// SPDX-License-Identifier: Apache-2.0
// The network devices of a node, from the probe "link-state" of its platform.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/names.hpp"
#include "engine/provider/provider.hpp"

namespace fabric {

struct NetDevice {
  std::string name;
  std::optional<PciAddress> pci;
  std::uint32_t dev_port = 0;  // 0-based port behind one PCI function (mlx4)
  std::optional<MacAddress> mac;
  std::optional<bool> carrier;             // the kernel refuses to say while the device is down
  std::string operstate;                   // "up", "down", ...; "" = unknown
  std::optional<std::int64_t> speed_mbps;  // unknown without a link
  std::optional<std::int64_t> mtu;
  // "p0", "pf0vf0", and the switch inside of the card that it is a port of (uplink.hpp).
  std::string phys_port_name{}, phys_switch_id{};
};

// The id of the probe: for each device with hardware a line "netdev NAME", then "KEY VALUE" for
// pci, address, dev_port, operstate, carrier, speed and mtu as the kernel prints them; in switchdev
// mode also phys_switch_id and phys_port_name.
inline constexpr const char* kLinkStateProbe = "link-state";
// Lines it does not know are skipped; devices without hardware are not listed by the probe.
std::vector<NetDevice> parse_link_state(std::string_view text);

}  // namespace fabric
