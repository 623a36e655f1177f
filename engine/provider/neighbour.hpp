// SPDX-License-Identifier: Apache-2.0
// What a port of a switch hears by LLDP, as the switch tells it.
#pragma once

#include <string>

namespace fabric {

// What was not said is "".
struct Neighbour {
  std::string local_port;  // as the switch writes it: "1/4"
  std::string chassis_id;
  std::string port_id;  // a MAC address or a name
  std::string system_name;
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

}  // namespace fabric
