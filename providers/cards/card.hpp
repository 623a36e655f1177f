// SPDX-License-Identifier: Apache-2.0
// Card: a network adapter of a node as its system shows it, shared by all providers that touch a
// card or one of its ports. Found by PCI address; names of interfaces and RDMA devices are
// attributes, never identity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/names.hpp"

namespace fabric::providers {

enum class LinkLayer : std::uint8_t { unknown, ethernet, infiniband };

// A virtual function of a port. Its index is its number for `ip link set ... vf`.
struct VirtualFunction {
  PciAddress address;
  std::string driver;                // "vfio-pci"; "" = none is bound
  std::string pci_class;             // "0x020000"
  std::vector<std::string> netdevs;  // in the network namespace that was looked at
};

struct AdapterPort {
  std::uint32_t number = 1;  // from 1, as the card counts
  PciAddress function;       // mlx5: one for each port; mlx4: one for both
  LinkLayer link_layer = LinkLayer::unknown;
  std::string netdev{};  // "" = there is none
  bool netdev_is_ethernet = false;
  std::int64_t mtu = 0;             // of the netdev
  std::string rdma_device{};        // "mlx5_0", "rocep1s0f0"; "" = there is none
  std::uint32_t rdma_ports = 0;     // of the RDMA device: 2 on mlx4, unless its ports are bonded
  std::optional<MacAddress> mac{};  // in use
  // The burnt-in MAC address; nullopt if unknown: a slave of a bond uses another one.
  std::optional<MacAddress> permanent_mac{};
  std::optional<Guid> node_guid{};
  // The GUID of the port as InfiniBand, also while it is Ethernet; nullopt: unknown.
  std::optional<Guid> port_guid{};
  std::string pci_class{};                    // "0x020000"
  std::optional<std::int64_t> sriov_total{};  // nullopt: SR-IOV is off or not shown
  std::optional<std::int64_t> sriov_vfs{};    // the present number
  std::vector<VirtualFunction> functions{};   // as far as they were told, in order of address
  // The port's interfaces, if there are several candidates and `netdev` is "".
  std::vector<std::string> undecided{};
  // The card's embedded switch shows representors beside the port; "p0" is the port there.
  bool switchdev = false;
  std::string phys_port_name{};
};

// The functions of one PCI device.
struct Card {
  PciAddress address;           // of its lowest function
  std::uint32_t device_id = 0;  // 0x1017
  std::string driver;           // "mlx5_core"; "" = none is bound
  std::string firmware, psid;   // "" = unknown
  std::string serial, part_number;
  std::vector<AdapterPort> ports;  // in order of number
  // The negotiated PCIe link: its speed, "8.0 GT/s PCIe", and its number of lanes.
  std::string pcie_speed{};
  std::optional<std::int64_t> pcie_width{};
  // The system image GUID: equal for all functions of a board, also in other hosts; "" = not told.
  std::string system_image{};

  const AdapterPort* find_port(std::uint32_t number) const;
  // True if both ports have one PCI function (mlx4), so that the PCI path does not tell them apart.
  bool shares_function() const;
  // "0000:01:00.0 (ConnectX-5, serial MT1234X05678)"
  std::string text() const;
};

}  // namespace fabric::providers
