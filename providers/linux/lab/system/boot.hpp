// SPDX-License-Identifier: Apache-2.0
// Boot of a simulated Linux host.
#pragma once

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// Firmware loads its settings, the kernel makes the interfaces, udev names them, sysctl.d and the
// network back end configure them. Runs scripts of the back end (ifupdown's `up` lines).
void boot(LinuxHost& machine, const Network& network);

}  // namespace fabric::lab
