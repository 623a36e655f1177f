// SPDX-License-Identifier: Apache-2.0
// `show lldp remote | json-print` of Onyx, and the same from its JSON interface.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

struct OnyxNeighbour {
  std::string local_port;   // "1/4" of "Eth1/4 (Po100)"
  std::string chassis_id;   // "" = not advertised
  std::string port_id;      // the same
  std::string system_name;  // the same
  friend bool operator==(const OnyxNeighbour&, const OnyxNeighbour&) = default;
};

// Sorted by port name; empty if no neighbour is heard. Fails with ErrorCode::invalid, "line N:
// ...", on a text that is no JSON of neighbours.
Result<std::vector<OnyxNeighbour>> parse_onyx_lldp(std::string_view text);
Value to_value(const std::vector<OnyxNeighbour>& neighbours);

}  // namespace fabric::providers
