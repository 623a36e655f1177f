// SPDX-License-Identifier: Apache-2.0
// The origin of a node's RDMA drivers.
#pragma once

#include <string>

#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

struct DriverStack {
  std::string name;     // "inbox", "mlnx_ofed", "doca"; "" = the node was not asked
  std::string version;  // "5.8-1.1.2.1", of inbox the kernel's; "" = it does not tell
  std::string mixed;    // parts that do not fit together; "" = all is of one stack
  std::string mft;      // "4.28.0-92"; "" = the Mellanox Firmware Tools are not there
};

Probe driver_stack_probe();
// From the output of that probe, and from the package database where only packages tell (DOCA).
DriverStack driver_stack(const NodeFacts& facts);

}  // namespace fabric::providers
