// SPDX-License-Identifier: Apache-2.0
// The interfaces of an ESXi host's kernel on a virtual switch, for pings from there.
#pragma once

#include <string_view>

namespace fabric {

// Of kind "vswitch", running, beside what is desired: a list of "vmk1 10.30.0.1", one for each
// interface of the kernel on the switch that has an IPv4 address, in order of name. Unknown where
// the host does not tell.
inline constexpr std::string_view kVmkernelAddresses = "vmkernel_addresses";

}  // namespace fabric
