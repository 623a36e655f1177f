// SPDX-License-Identifier: Apache-2.0
// A look at the subnets of one node's ports, from that node.
#pragma once

#include <string>
#include <vector>

#include "engine/model/names.hpp"

namespace fabric::platform {

// The view that one port has of its subnet, or why it was not read.
struct SubnetLook {
  std::string from;     // "c101 (mlx5_0/1)"
  std::string text;     // the subnet in the format of ibnetdiscover
  std::string errors;   // standard error of the look
  std::string why_not;  // "" = it looked
};

struct SubnetLooks {
  std::vector<SubnetLook> looks;  // never empty: without a port to look from it has a `why_not`
  std::vector<Guid> dark;         // port GUIDs of InfiniBand ports without a link
};

}  // namespace fabric::platform
