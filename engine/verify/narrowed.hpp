// SPDX-License-Identifier: Apache-2.0
// A report for an operator of some of the nodes.
#pragma once

#include <set>

#include "engine/verify/verify.hpp"

namespace fabric::verify {

// The parts of `report` that concern `nodes`: cables with an end there, paths from or to them, and
// findings that are about them (Report::nodes_of) or have no subject. A consequence whose cause is
// left out stands by itself.
Report narrowed(Report report, const std::set<NodeName>& nodes);

}  // namespace fabric::verify
