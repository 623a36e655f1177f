// Boot of a simulated host, and what can be done again later: driver restarts, network services.
#pragma once

#include "engine/lab/linux/host/machine.hpp"
#include "engine/lab/machine/network.hpp"

namespace fabric::lab {

// Firmware loads its settings, the kernel makes the interfaces, udev names them, sysctl.d and the
// network back end configure them. Runs scripts of the back end (ifupdown's `up` lines).
void boot(Machine& machine, const Network& network);

// The driver of a card starts (again): its interfaces are made anew.
void make_card_interfaces(Machine& machine, std::size_t card);
void remove_card_interfaces(Machine& machine, std::size_t card);

// /proc and /sys as hardware and interfaces are now.
void install_proc(Machine& machine, const Network& network);
void install_sysfs(Machine& machine, const Network& network);

}  // namespace fabric::lab
