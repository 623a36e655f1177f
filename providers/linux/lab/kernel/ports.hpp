// SPDX-License-Identifier: Apache-2.0
// Ports as the RDMA stack shows them: device names, states and rates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

struct PortState {
  int logical = 1;                         // 1 DOWN, 2 INIT, 4 ACTIVE
  int physical = 2;                        // 2 Polling, 3 Disabled, 5 LinkUp
  std::string_view logical_text() const;   // of sysfs: "ACTIVE"
  std::string_view physical_text() const;  // of sysfs: "LinkUp"
};

// Ethernet: the state of the netdev. InfiniBand: INIT while there is no subnet manager.
PortState port_state(
    const LinuxHost& machine, const Network& network, std::size_t card, std::uint32_t port);
// 65535 and 0 for an InfiniBand port without a manager.
struct PortLids {
  std::uint32_t own = 65535, manager = 0;
};
PortLids port_lids(
    const LinuxHost& machine, const Network& network, std::size_t card, std::uint32_t port);
std::uint32_t port_gbps(const LinuxHost& machine, std::size_t card, std::uint32_t port);
// "100 Gb/sec (4X EDR)"; a port that is down shows a made-up rate, as real ones do.
std::string rate_text(
    const LinuxHost& machine, const Network& network, std::size_t card, std::uint32_t port);
// "rocep1s0f0", "ibp1s0f0": rdma-core's names, by the link type of the first port. "mlx5_bond_0"
// for both ports of a card in RoCE LAG.
std::string rdma_name(const LinuxHost& machine, std::size_t card, std::uint32_t port);
// The speed in Gb/s; for a bond the sum of its working slaves.
std::uint32_t interface_gbps(
    const LinuxHost& machine, const Network& network, const Interface& interface);
// systemd's name: "enp1s0f0np0", "ibp1s0f0", "enp5s0d1".
std::string interface_name(const Card& card, const CardPort& port);
// "umad0", ... for all ports, if one is InfiniBand.
std::vector<std::string> management_devices_of(const LinuxHost& machine);
// The interface by which a bridge reaches the wire: its first port; any other interface is its own.
// Null: the bridge has no port.
const Interface* below_bridge(const LinuxHost& machine, const Interface& interface);
// Carrier of any interface.
bool has_carrier(const Network& network, const LinuxHost& machine, const Interface& interface);

}  // namespace fabric::lab
