// SPDX-License-Identifier: Apache-2.0
// The output of `iblinkinfo`, by node (without options) or in lines (-l).
#pragma once

#include <string_view>

#include "engine/base/result.hpp"
#include "engine/subnet/observed_topology.hpp"

namespace fabric::providers {

// The form by node: a peer has a LID, a port number and a name, but no GUID. The form in lines:
// both ends have their port GUID, nodes have no type, and each port GUID is a node of its own.
// Fails with ErrorCode::invalid, "line N, column C: ...", on a cut line of the format, a port that
// belongs to no node, an unknown speed, and a text without ports.
Result<ObservedTopology> parse_iblinkinfo(std::string_view text);

}  // namespace fabric::providers
