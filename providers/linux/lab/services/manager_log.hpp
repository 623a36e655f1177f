// SPDX-License-Identifier: Apache-2.0
// What a simulated OpenSM writes to its log: what it is and since when, and how it has routed the
// switches that it then found (E-opensm-routing). The lab's switches have no tables: every engine
// can route them.
#pragma once

#include <cstdint>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// Each of the host's processes writes what it is now, where that is news.
void settle_managers(LinuxHost& machine, const Network& network, std::int64_t unix_milliseconds);
// The last line of one that is told to end; one that dies writes none.
void log_exit(LinuxHost& machine, const ManagerProcess& process);

}  // namespace fabric::lab
