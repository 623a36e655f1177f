// SPDX-License-Identifier: Apache-2.0
// The interfaces of an ESXi host's kernel on a virtual switch, for pings from there.
#pragma once

#include <string_view>

namespace fabric {

// A running attribute of kind "vswitch", besides the desired ones: a list of "vmk1 10.30.0.1", one
// for each interface of the kernel on the switch that has an IPv4 address, in order of name.
// Unknown if the host does not show it.
inline constexpr std::string_view kVmkernelAddresses = "vmkernel_addresses";

}  // namespace fabric
