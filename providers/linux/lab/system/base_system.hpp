// SPDX-License-Identifier: Apache-2.0
// The installed system of a simulated host: Debian 12 with what its profile names.
#pragma once

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// Files, programs and services as the installer left them. They do not count as touched.
void install_base_system(LinuxHost& machine);

}  // namespace fabric::lab
