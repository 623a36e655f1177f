// SPDX-License-Identifier: Apache-2.0
// Subnet managers that the document does not place: where one stands by, its defaults take over
// when the masters of the document are gone.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/evidence/evidence.hpp"

namespace fabric::verify {

// No finding about a subnet of which not every manager's port GUID is known, or whose manager is
// somewhere else without the document saying where.
std::vector<Diagnostic> stray_managers(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, const ReadingsByNode& readings);

}  // namespace fabric::verify
