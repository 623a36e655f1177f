// SPDX-License-Identifier: Apache-2.0
// Error and link-down counters of a simulated host, as sysfs shows them
// (Documentation/ABI/testing/sysfs-class-net, sysfs-class-infiniband).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// carrier_changes, carrier_down_count and statistics/* below `folder`, the device's own.
void install_interface_counters(
    LinuxHost& machine, const std::string& folder, const std::string& interface);
// counters/* below `folder`, .../infiniband/DEVICE/ports/N. `port` counts from 1.
void install_rdma_counters(
    LinuxHost& machine, const std::string& folder, std::size_t card, std::uint32_t port);

}  // namespace fabric::lab
