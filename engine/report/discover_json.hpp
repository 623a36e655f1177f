// SPDX-License-Identifier: Apache-2.0
// The observations as data: for each node its identity and the state of each resource of the
// document there.
#pragma once

#include "engine/discovery/snapshot.hpp"
#include "engine/value/json_writer.hpp"
#include "engine/value/value.hpp"

namespace fabric::report {

// {"nodes": {NAME: {"reachable", "failure"?, "identity", "inventory"?, "resources":
// {"settings/cx5": {ATTRIBUTE: {LAYER: value}}}}}}. A layer that is absent is null; an unknown one
// is {"unknown": "why"}.
Value discover_json(const discovery::Snapshot& snapshot, const Registry& registry);
// Writes the same document node by node.
void write_discover_json(
    const discovery::Snapshot& snapshot, const Registry& registry, JsonWriter& writer);

}  // namespace fabric::report
