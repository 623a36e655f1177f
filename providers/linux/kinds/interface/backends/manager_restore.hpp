// SPDX-License-Identifier: Apache-2.0
// Restores NetworkManager after a rollback, for keyfiles and for the ifcfg files that it reads.
#pragma once

#include <vector>

#include "engine/remote/command.hpp"

namespace fabric::providers {

// The start of the ids of all of fabric's profiles.
inline constexpr const char* kProfileStart = "fabric-";

// Makes all interfaces run as the files are. A restart would not: an interface whose profile is
// gone keeps running, and a changed profile only adds to what it made before (seen with 1.42).
// Reloading removes both, and a free interface comes up by its profile; a profile that is active
// already has to be activated again.
std::vector<remote::Argv> restore_by_manager();

}  // namespace fabric::providers
