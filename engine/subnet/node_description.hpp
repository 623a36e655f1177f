// SPDX-License-Identifier: Apache-2.0
// The node description: the text by which an adapter or a switch names itself in a subnet. Its form
// is a convention (E-ib-node-description), and before rdma-ndd or openibd has run it is the card's
// own text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fabric {

// The parts of a channel adapter's description, in lower case.
struct AdapterDescription {
  std::string host;    // "node1.example.org"; "" where the text names none
  std::string device;  // "mlx5_3", "hca-3", "ibp11s0f0"; "" where the text names none
};

// "node1 mlx5_0", "node1 HCA-1 (Topspin HCA)", "node1.mlx5_0", "node1". The text of a card names no
// host: "MT4123 ConnectX6   Mellanox Technologies".
AdapterDescription describe_adapter(std::string_view description);

// "node1" for "node1.example.org", but the whole of "10.1.2.3". In lower case.
std::string host_label(std::string_view host);

// The naming scheme of a device: two different names of one scheme are two devices, names of
// different schemes may mean the same one.
enum class DeviceScheme : std::uint8_t {
  other,
  driver,  // "mlx5_3"
  hca,     // "hca-3"
  path,    // "ibp11s0f0"
  slot     // "ibs3f0"
};
// REQUIRES: lower case
DeviceScheme device_scheme(std::string_view device);

// True for SHARP's end inside a switch, which is no host: "Mellanox Technologies Aggregation Node".
bool is_aggregation_node(std::string_view description);

// The parts of a switch's description, in lower case.
struct SwitchDescription {
  std::string name;   // "leaf1" of "MF0;leaf1:MQM8700/U1", else the whole text
  std::string model;  // "mqm8700"; of "Quantum Mellanox Technologies" the family; ""
  // For a switch inside a director: 'l' and 16 for "MF0;dir:MCS8500/L16/U2"; else '\0' and 0.
  char module_kind = '\0';
  std::int64_t module = 0;
  std::int64_t asic = 0;  // 2 of "U2"; 0 where it is unknown
};
SwitchDescription describe_switch(std::string_view description);

}  // namespace fabric
