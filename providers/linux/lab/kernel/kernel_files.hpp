// SPDX-License-Identifier: Apache-2.0
// /proc and /sys of a simulated host.
#pragma once

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// Makes /proc and /sys for the present hardware and interfaces.
void install_proc(LinuxHost& machine, const Network& network);
void install_sysfs(LinuxHost& machine, const Network& network);

}  // namespace fabric::lab
