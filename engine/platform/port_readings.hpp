// SPDX-License-Identifier: Apache-2.0
// A node's readings of its ports around a verify: error and link-down counters of network and RDMA
// devices, and the RDMA ports with their GIDs. Read before and after, so not part of the facts:
// counters move.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/model/names.hpp"
#include "engine/platform/traffic.hpp"

namespace fabric::platform {

// By the kernel's name: "rx_crc_errors", "link_downed". Counters that a kernel lacks are missing.
using Counters = std::map<std::string, std::uint64_t>;

struct Gid {
  std::uint32_t index = 0;
  std::string address;  // 8 groups of 4 hex digits
  std::string type;     // "IB/RoCE v1", "RoCE v2"; "" = unknown
  std::string netdev;   // "" = unknown
};

// The multicast group that IPoIB of a partition joins: its MTU is the most that IPoIB can have.
struct IpoibGroup {
  std::uint16_t pkey = 0;  // without bit 15
  std::uint32_t mtu = 0;   // bytes; 0 = a code that the standard does not have
};

// A subnet manager in the master's record: the master itself, or a standby.
struct ManagerRecord {
  Guid guid{0};
  std::uint64_t priority = 0;  // 0 to 15
  bool master = false;
};

struct RdmaPort {
  std::string device;  // "rocep1s0f0", "mlx5_bond_0"
  std::uint32_t number = 1;
  std::string pci;                   // address of the function, "" for a software device
  std::string link_layer;            // "Ethernet", "InfiniBand"
  std::string state;                 // "ACTIVE"; "" = unknown
  double gbps = 0;                   // speed of its link; 0 = unknown; meaningless while down
  std::vector<std::uint16_t> pkeys;  // the P_Key table without its empty entries
  std::vector<Gid> gids;             // the set entries, in order of index
  Counters counters;
  Counters congestion;  // lost and marked packets of RDMA: "out_of_sequence", "np_cnp_sent"
  // From the subnet's master, asked only on the master's port, so that not each host asks the
  // subnet. Nullopt: not asked, or no answer.
  std::optional<std::vector<IpoibGroup>> groups;
  std::optional<std::vector<ManagerRecord>> managers;  // from the master, as `groups`

  std::string str() const { return device + "/" + std::to_string(number); }
};

struct PortReadings {
  std::map<std::string, Counters> interfaces;  // by network device
  std::vector<RdmaPort> rdma;                  // in order of device and number
  std::set<Traffic> measurable;                // traffic whose tool is on the node
  std::string why_not;                         // why nothing could be read; "" = it was read
  // By network device: pauses by priority, and drops for want of buffer.
  std::map<std::string, Counters> flow_control{};

  // The RDMA port of a card's port: the one whose GIDs belong to `interface`, else the one at the
  // PCI function (mlx5) or with the number (mlx4). A RoCE LAG has one RDMA device at the card's
  // first function. Null if there is none.
  const RdmaPort* rdma_of(
      const std::string& interface, const PciAddress& card, std::uint32_t port_number) const;
};

}  // namespace fabric::platform
