// SPDX-License-Identifier: Apache-2.0
// Cables in foreign files: devices and ports by the names that each format or site has, before
// these are names of a document.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/description/description.hpp"
#include "engine/description/names.hpp"

namespace fabric::description {

struct ForeignEnd {
  std::string device, port;  // as written, trimmed
};

struct ForeignCable {
  ForeignEnd a, b;
  std::string label{}, length{}, type{}, speed{};
  std::size_t line = 1;
};

// The host, card and port for "hostA mlx5_0" and "Port 1" in a list that UFM made of a subnet.
ForeignEnd end_in_subnet(ForeignEnd end);

struct ForeignDevice {
  std::optional<bool> is_switch;  // nullopt: the format does not say, its ports decide
  std::string model;
  std::string address;
};

class Cabling {
 public:
  // Without `keeps` it only counts, and stays without devices and cables.
  explicit Cabling(bool keeps) : keeps_{keeps} {}

  // Fails beyond limits::kNodes; cables beyond kCables.
  Result<ForeignDevice*> device(const std::string& name, std::size_t line);
  Result<void> add(ForeignCable cable);

  std::map<std::string, ForeignDevice> devices;  // without devices that only cables name
  std::vector<ForeignCable> cables;

 private:
  bool keeps_;
  std::set<std::string> names_;  // of all devices
  std::size_t counted_ = 0;      // cables
  ForeignDevice unkept_;
};

// "Port 21" is 21, "swp51" is 51, "Blade 16_Port 2/20" is L16/U2/20, "e1-3" is 1/3. Nullopt if the
// text has no number of a port.
std::optional<std::string> switch_port_of(std::string_view text);

// The card and port of a host that a text means: "mlx5_0/P1" is mlx5_0 and 1, "P2" is port 2 of the
// only card, "eth1" a card of that name.
struct HostPort {
  std::string adapter, port;
};
HostPort host_port_of(std::string_view text);

// The devices as nodes and the cables as one network of this mode and name. A cable listed at both
// ends is one; of two cables at one port the first is taken, and a note shows both. Devices without
// other evidence are switches if they have more ports than a host.
Description describe(const Cabling& cabling, const std::string& mode);

}  // namespace fabric::description
