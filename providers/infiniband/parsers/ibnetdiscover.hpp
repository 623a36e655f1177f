// SPDX-License-Identifier: Apache-2.0
// The output of `ibnetdiscover`: its topology file or its list of ports (-p). Linear in the text: a
// subnet of ten thousand nodes is some megabytes.
#pragma once

#include <string_view>

#include "engine/base/result.hpp"
#include "engine/subnet/observed_topology.hpp"

namespace fabric::providers {

// Blanks and tabs may be lost or added, as terminals and mail do, and lines of other programs may
// stand between nodes: those are kept as notes. Fails with ErrorCode::invalid, "line N, column C:
// ...", on a line of the format that is cut or contradicts another (a node or port that is
// described twice, a port beyond the node's number of ports), on a node that ends before its first
// link, and on a text without nodes, which is never a whole dump because every node is reached by a
// link.
Result<ObservedTopology> parse_ibnetdiscover(std::string_view text);

}  // namespace fabric::providers
