// SPDX-License-Identifier: Apache-2.0
// Ports of one network at a switch that put frames without a tag into different VLANs: the hosts
// behind them do not hear each other, though each port is in the bridge.
#pragma once

#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/resource.hpp"

namespace fabric {

struct UntaggedPort {
  const Resource* resource;  // with keys::kNetwork
  std::string name;          // the switch's name: "swp7", "ethernet 1/7"
  std::string vlan;          // "10"; "" = in no bridge, or no untagged frames
};

// Reports `untagged-vlans-differ` once for each network, at the first port that differs from most.
// Not for networks with a VLAN in the document: that is planned.
void report_vlans_apart(Diagnostics& diagnostics, const std::vector<UntaggedPort>& ports);

}  // namespace fabric
