// SPDX-License-Identifier: Apache-2.0
// "linkinfo" of `ip -j -d`: what a bond, its slaves and a VLAN say about themselves.
#pragma once

#include <string>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab::commands {

// With its leading comma; "" for an interface that has none.
std::string linkinfo(const Network& network, const LinuxHost& machine, const Interface& interface);

}  // namespace fabric::lab::commands
