// SPDX-License-Identifier: Apache-2.0
// Rings that are set up while cables of them are not where the document has them: a node comes in
// or goes out, or a plug is in another port.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/topology/path_losses.hpp"
#include "engine/verify/evidence/evidence.hpp"

namespace fabric::verify {

// Rule `ring-open`, while a plan is made: one finding a network, with the cables that somebody has
// to move, where their plugs are now as far as that is known, and what is lost until it is done.
// Nothing of a ring whose hosts have no addresses yet, nor of one with more pairs of addresses than
// anybody looks at. `now`: observed_paths().
void report_open_rings(
    const FabricSpec& spec,
    const Evidence& evidence,
    const std::vector<reach::NetworkNow>& now,
    Diagnostics& diagnostics);

}  // namespace fabric::verify
