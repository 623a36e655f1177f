// SPDX-License-Identifier: Apache-2.0
// What `lldpcli -f json0 show neighbors details` prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::verify {

// One neighbour as its frames describe it; what it did not say is "".
struct LldpNeighbour {
  std::string local_interface;
  std::string protocol;         // "LLDP", "CDPv2", ...
  std::string chassis_name;     // SysName
  std::string chassis_id_type;  // "mac", "local", ...
  std::string chassis_id;
  std::string port_id_type;  // "mac", "ifname", "local", ...
  std::string port_id;
  std::string port_description;
  friend bool operator==(const LldpNeighbour&, const LldpNeighbour&) = default;
};

// In order of printing. Takes the uniform lists of json0 and the irregular objects of plain json.
// Fails with ErrorCode::invalid if it is not JSON or has no "lldp".
Result<std::vector<LldpNeighbour>> parse_lldp_json(std::string_view text);

// For `fabric parse lldpctl-json`: a list of maps, members that were not said left out.
Result<Value> lldp_json_to_value(std::string_view text);

}  // namespace fabric::verify
