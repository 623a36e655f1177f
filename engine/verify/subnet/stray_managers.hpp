// SPDX-License-Identifier: Apache-2.0
// Subnet managers that the document does not have: a stray standby takes over with its defaults
// when the masters of the document are gone.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/evidence.hpp"
#include "engine/verify/evidence/counters.hpp"

namespace fabric::verify {

// Returns no finding about a subnet with a manager, own or external, of unknown port GUID.
std::vector<Diagnostic> stray_managers(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, const ReadingsByNode& readings);

}  // namespace fabric::verify
