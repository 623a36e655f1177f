// SPDX-License-Identifier: Apache-2.0
// An InfiniBand subnet as a tool saw it, as a description.
#pragma once

#include "engine/base/result.hpp"
#include "engine/description/description.hpp"
#include "engine/subnet/observed_topology.hpp"

namespace fabric::description {

// Hosts and adapters have their own names, switches their description, ports their number in the
// subnet. A node without a name, or with that of another one, is named and found by its GUID.
// Aggregation nodes, and the cables inside of a director, are no cables of a document. A port whose
// ends show different cables is left out, with a note of both. Fails where the text has no cable.
Result<Description> describe(const ObservedTopology& topology);

}  // namespace fabric::description
