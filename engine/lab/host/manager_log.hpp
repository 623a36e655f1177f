// What a simulated OpenSM writes to its log: what it is and since when (facts.md §4). Nothing of
// routing: the lab's switches have no tables.
#pragma once

#include <cstdint>

#include "engine/lab/host/machine.hpp"
#include "engine/lab/wire/network.hpp"

namespace fabric::lab {

// Each of the host's processes writes what it is now, where that is news.
void settle_managers(Machine& machine, const Network& network, std::int64_t unix_milliseconds);
// The last line of one that is told to end; one that dies writes none.
void log_exit(Machine& machine, const ManagerProcess& process);

}  // namespace fabric::lab
