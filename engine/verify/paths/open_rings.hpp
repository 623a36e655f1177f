// SPDX-License-Identifier: Apache-2.0
// Rings that are set up while cables of them are not where the document has them: a node comes in
// or goes out, or a plug is in another port.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/evidence.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/topology/path_losses.hpp"

namespace fabric::verify {

// Rule `ring-open`, while a plan is made: one finding for each network, with the cables that a
// person has to move, the present places of their plugs as far as they are known, and the paths
// that are lost until it is done. No finding about a ring whose hosts have no addresses yet, or
// that has too many pairs of addresses to look at. `now`: observed_paths().
void report_open_rings(
    const FabricSpec& spec,
    const discovery::Evidence& evidence,
    const std::vector<reach::NetworkNow>& now,
    Diagnostics& diagnostics);

}  // namespace fabric::verify
