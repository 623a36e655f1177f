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
  std::string text;     // as ibnetdiscover prints a subnet
  std::string errors;   // what was said on standard error meanwhile
  std::string why_not;  // "" = it looked
};

struct SubnetLooks {
  std::vector<SubnetLook> looks;  // never empty: a node without a port to look from says so
  std::vector<Guid> dark;         // port GUIDs of InfiniBand ports that have no link
};

}  // namespace fabric::platform
