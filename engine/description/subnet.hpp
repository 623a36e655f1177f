// SPDX-License-Identifier: Apache-2.0
// The description of an InfiniBand subnet from the output of a tool.
#pragma once

#include "engine/base/result.hpp"
#include "engine/description/description.hpp"
#include "engine/subnet/observed_topology.hpp"

namespace fabric::description {

// Hosts and adapters keep their own names, switches their description, ports their number in the
// subnet. A node without a name, or with the name of another, is named and found by its GUID.
// Aggregation nodes, and cables inside of a director, are left out. A port whose ends show
// different cables is left out, with a note of both. Fails if the text has no cable.
Result<Description> describe(const ObservedTopology& topology);

}  // namespace fabric::description
