// SPDX-License-Identifier: Apache-2.0
// The hardware table: what each model of adapter can do. Data in schemas/hardware.json, each row
// with its source; facts that a document's rules and the lab rely on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabric {

struct HardwareModel {
  std::string slug;                       // "connectx-5-vpi"
  std::string name;                       // "ConnectX-5 VPI"
  std::vector<std::string> aliases;       // names people use: "cx5", "MCX556A"
  std::string family;                     // "connectx-5": all slugs of one chip family
  std::vector<std::uint32_t> device_ids;  // PCI device ids without the vendor 15b3
  std::string tool_name;                  // mstconfig "Device type": "ConnectX5"
  std::string driver;                     // "mlx5_core", "mlx4_core", "ib_mthca"
  std::uint32_t ports = 2;                // most ports a card of this model has
  bool infiniband = true;                 // a port can run InfiniBand
  bool ethernet = true;                   // a port can run Ethernet
  // LINK_TYPE can be set: both of the above. EN and IB-only cards have no such parameter.
  bool vpi() const { return infiniband && ethernet; }
  std::uint32_t infiniband_gbps = 0;  // per port at full width
  std::uint32_t ethernet_gbps = 0;
  bool host_chaining = false;  // the parameter works, not merely listed
  bool roce_lag = false;
  bool current_settings = true;      // mstconfig -e can show the running values
  std::uint32_t pkeys = 128;         // P_Key table entries
  std::uint32_t vfs = 0;             // most virtual functions a port
  std::uint32_t firmware_major = 0;  // 16 for ConnectX-5
  std::string
      tool_last_version;  // last mstflint that knows it ("4.25" for ConnectX-3), "" = current
  std::uint32_t pcie_generation = 3;  // of the widest card of this model
  std::uint32_t pcie_width = 16;
  std::string source;  // where the row comes from
};

// In order of slug. Compiled in from schemas/hardware.json.
const std::vector<HardwareModel>& hardware_table();
// By slug, or by the order number on the label ("MCX556A-ECAT") in any case; a bare family slug
// ("connectx-5") is its VPI model where there is one. Null if unknown.
const HardwareModel* find_hardware(std::string_view slug);
// Every model that has this PCI device id (VPI and EN cards share one), in order of slug.
std::vector<const HardwareModel*> hardware_by_device(std::uint32_t device_id);

}  // namespace fabric
