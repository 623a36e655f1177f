// SPDX-License-Identifier: Apache-2.0
// The hardware table: the abilities of each model of adapter and of switch. Data in
// schemas/hardware.json, each row with its source; the rules of documents and the lab rely on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabric {

struct HardwareModel {
  std::string slug;                       // "connectx-5-vpi"
  std::string name;                       // "ConnectX-5 VPI"
  std::vector<std::string> aliases;       // other names in use: "cx5", "MCX556A"
  std::string family;                     // "connectx-5": all slugs of one chip family
  std::vector<std::uint32_t> device_ids;  // PCI device ids without the vendor 15b3
  std::string tool_name;                  // mstconfig "Device type": "ConnectX5"
  std::string driver;                     // "mlx5_core", "mlx4_core", "ib_mthca"
  std::uint32_t ports = 2;                // the most ports of a card of this model
  bool infiniband = true;                 // a port can run InfiniBand
  bool ethernet = true;                   // a port can run Ethernet
  // True if LINK_TYPE can be set: EN and IB-only cards have no such parameter.
  bool vpi() const { return infiniband && ethernet; }
  std::uint32_t infiniband_gbps = 0;  // Gb/s of a port at full width
  std::uint32_t ethernet_gbps = 0;
  bool host_chaining = false;  // the parameter works and is not only listed
  bool roce_lag = false;
  bool current_settings = true;      // mstconfig -e can show the running values
  std::uint32_t pkeys = 128;         // P_Key table entries
  std::uint32_t vfs = 0;             // the most virtual functions of a port
  std::uint32_t firmware_major = 0;  // 16 for ConnectX-5
  std::string
      tool_last_version;  // last mstflint that knows it ("4.25" for ConnectX-3), "" = current
  std::uint32_t pcie_generation = 3;  // those of the widest card of this model
  std::uint32_t pcie_width = 16;
  std::string source;  // the source of the row
};

// How the ports of a kind of switch are cabled to its chip (E-ib-switch-ports).
enum class SwitchPorts : std::uint8_t {
  unknown,
  one_a_cage,   // to 36 or 40 ports: InfiniScale IV, SwitchX, Switch-IB, Quantum
  two_a_cage,   // Quantum-2: 32 cages of two ports
  modules,      // a director, whose leaves and spines are switches of the subnet
  other_layout  // a kind whose numbers are not known here: Quantum-X800
};

struct SwitchModel {
  std::vector<std::string> names;  // prefixes of models, in lower case: "qm87", "quantum"
  std::string chip;                // "Quantum"
  SwitchPorts layout = SwitchPorts::unknown;
  std::uint32_t ports = 0;  // number of unsplit ports; 0 = not judged
  std::uint32_t parts = 0;  // parts of a split port; 1 = no port can be split
  std::uint32_t infiniband_gbps = 0,
                ethernet_gbps = 0;  // of its fastest ports; 0 = not of that type
  // Ports of 25 Gb/s that can't be split; 0 = none.
  std::uint32_t sfp28_first = 0, sfp28_last = 0;
};

// The rows in order of slug, compiled in from schemas/hardware.json.
const std::vector<HardwareModel>& hardware_table();
// Finds a model by slug, or by the order number on the label ("MCX556A-ECAT") in any case; a bare
// family slug ("connectx-5") is its VPI model where there is one. Null if unknown.
const HardwareModel* find_hardware(std::string_view slug);
// Every model that has this PCI device id (VPI and EN cards share one), in order of slug.
std::vector<const HardwareModel*> hardware_by_device(std::uint32_t device_id);

const std::vector<SwitchModel>& switch_table();
// Finds a model by "MQM8700", "QM9790-HS2F", "mcs8500", or the family ("Quantum") of an unmanaged
// switch. Null if unknown.
const SwitchModel* find_switch_model(std::string_view model);

}  // namespace fabric
