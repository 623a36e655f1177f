// SPDX-License-Identifier: Apache-2.0
// Programs about packages.
#pragma once

#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::commands {

// package_commands.cpp
int apt_cache(Process& process);
int apt_get(Process& process);
int dpkg(Process& process);
int dpkg_query(Process& process);

}  // namespace fabric::lab::commands
