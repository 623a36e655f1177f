// SPDX-License-Identifier: Apache-2.0
// NetworkManager as it is after a rollback, of keyfiles and of the ifcfg files that it reads.
#pragma once

#include <vector>

#include "engine/remote/command.hpp"

namespace fabric::providers {

// What the ids of all profiles of ours begin with.
inline constexpr const char* kProfileStart = "fabric-";

// Makes the files run as they are, of all interfaces. A restart would not: it leaves what has no
// profile any more as it runs, and adds to what a profile had made before (seen with 1.42).
// Reloading takes it away, and what is free comes up by it; a profile that is active already has to
// be activated again.
std::vector<remote::Argv> restore_by_manager();

}  // namespace fabric::providers
