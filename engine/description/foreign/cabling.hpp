// SPDX-License-Identifier: Apache-2.0
// Cabling as foreign files list it: devices and ports by the names that each format or site has,
// before they are names of a document.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

struct ForeignDevice {
  std::optional<bool> is_switch;  // nullopt: the format does not say, its ports decide
  std::string model;
  std::string address;
};

struct Cabling {
  std::map<std::string, ForeignDevice> devices;  // also those that only cables name
  std::vector<ForeignCable> cables;
};

// "Port 21" is 21, "swp51" is 51, "Blade 16_Port 2/20" is L16/U2/20, "e1-3" is 1/3. Nullopt where
// the text has no number that a port may have.
std::optional<std::string> switch_port_of(std::string_view text);

// Which card and port of a host a text means: "mlx5_0/P1" is mlx5_0 and 1, "P2" is port 2 of the
// only card, "eth1" a card of that name.
struct HostPort {
  std::string adapter, port;
};
HostPort host_port_of(std::string_view text);

// The devices as nodes and the cables as one network of this mode and name. A cable that is listed
// at both ends is one; of two cables at one port the first stays, and a note shows both. Devices
// that are told by nothing are switches if they have more ports than a host has.
Description describe(const Cabling& cabling, const std::string& mode);

}  // namespace fabric::description
