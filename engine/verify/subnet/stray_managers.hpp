// SPDX-License-Identifier: Apache-2.0
// Subnet managers that the document does not place: where one stands by, its defaults take over
// when the masters of the document are gone.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/evidence.hpp"
#include "engine/verify/evidence/counters.hpp"

namespace fabric::verify {

// No finding about a subnet with a manager of unknown port GUID, or whose manager is at another
// place that the document does not name.
std::vector<Diagnostic> stray_managers(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, const ReadingsByNode& readings);

}  // namespace fabric::verify
