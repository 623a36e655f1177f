// SPDX-License-Identifier: Apache-2.0
// The neighbour that a port hears at the other end of its cable, by LLDP or a protocol like it.
#pragma once

#include <string>

namespace fabric {

// One neighbour as its frames describe it; "" = not in the frame.
struct Neighbour {
  std::string local_interface;  // the hearing port in its node's words: "1/4"
  std::string protocol;         // "LLDP", "CDPv2", ...
  std::string chassis_name;     // SysName
  std::string chassis_id_type;  // "mac", "local", ...
  std::string chassis_id;
  std::string port_id_type;  // "mac", "ifname", "local", ...
  std::string port_id;
  std::string port_description;
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

}  // namespace fabric
