// SPDX-License-Identifier: Apache-2.0
// Which ports a profile of NetworkManager is for.
#pragma once

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// Of its type, name, address and [match]; never for what NetworkManager makes itself.
bool fits_profile(
    const LinuxHost& machine, const Interface& interface, const ConnectionProfile& profile);

}  // namespace fabric::lab
