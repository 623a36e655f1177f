// "linkinfo" of `ip -j -d`: what a bond, its slaves and a VLAN say about themselves.
#pragma once

#include <string>

#include "engine/lab/linux/host/machine.hpp"
#include "engine/lab/machine/network.hpp"

namespace fabric::lab::commands {

// With its leading comma; "" for an interface that has none.
std::string linkinfo(const Network& network, const Machine& machine, const Interface& interface);

}  // namespace fabric::lab::commands
