// SPDX-License-Identifier: Apache-2.0
// An InfiniBand subnet as a tool saw it, as a description.
#pragma once

#include "engine/base/result.hpp"
#include "engine/description/description.hpp"
#include "engine/subnet/observed_topology.hpp"

namespace fabric::description {

// Hosts and adapters by what they call themselves, switches by their description, ports by their
// number in the subnet. What calls itself nothing, or as another one does, is named by its GUID and
// told by it. Aggregation nodes, and the cables inside of a director, are no cables of a document.
// A port whose ends tell of different cables is left out, and both are said. Fails where the text
// has no cable.
Result<Description> describe(const ObservedTopology& topology);

}  // namespace fabric::description
