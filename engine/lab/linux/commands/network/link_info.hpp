// SPDX-License-Identifier: Apache-2.0
// "linkinfo" of `ip -j -d`: what a bond, its slaves and a VLAN say about themselves.
#pragma once

#include <string>

#include "engine/lab/linux/host/linux_host.hpp"
#include "engine/lab/machine/network.hpp"

namespace fabric::lab::commands {

// With its leading comma; "" for an interface that has none.
std::string linkinfo(const Network& network, const LinuxHost& machine, const Interface& interface);

}  // namespace fabric::lab::commands
