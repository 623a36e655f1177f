// SPDX-License-Identifier: Apache-2.0
// The log of a simulated OpenSM: its state and the time of each change, and how it has routed the
// switches that it then found (E-opensm-routing). The lab's switches have no tables: every engine
// can route them.
#pragma once

#include <cstdint>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// Each OpenSM of the host logs its state if that has changed.
void settle_managers(LinuxHost& machine, const Network& network, std::int64_t unix_milliseconds);
// The last line of an OpenSM that is told to end; one that crashes writes none.
void log_exit(LinuxHost& machine, const ManagerProcess& process);

}  // namespace fabric::lab
