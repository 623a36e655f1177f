// SPDX-License-Identifier: Apache-2.0
// `iblinkinfo`, by node as it prints without options and in lines (-l).
#pragma once

#include <string_view>

#include "engine/base/result.hpp"
#include "engine/subnet/observed_topology.hpp"

namespace fabric::providers {

// By node: peers have a LID, a port number and a name, but no GUID. In lines: both ends have their
// port GUID, nodes have no type, and each port GUID is a node of its own. Fails with
// ErrorCode::invalid, "line N, column C: ...", on a line of the format that is cut, a port that
// belongs to no node, a speed that is not known here, and a text without ports.
Result<ObservedTopology> parse_iblinkinfo(std::string_view text);

}  // namespace fabric::providers
