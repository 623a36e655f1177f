// SPDX-License-Identifier: Apache-2.0
// /proc and /sys of a simulated host.
#pragma once

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// /proc and /sys as hardware and interfaces are now.
void install_proc(LinuxHost& machine, const Network& network);
void install_sysfs(LinuxHost& machine, const Network& network);

}  // namespace fabric::lab
