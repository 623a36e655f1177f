// SPDX-License-Identifier: Apache-2.0
// A report for an operator of some of the nodes.
#pragma once

#include <set>

#include "engine/verify/verify.hpp"

namespace fabric::verify {

// What is about these nodes: their ends of cables, paths from or to them, and the findings that are
// about them (Report::nodes_of) or have no subject. What follows from a finding that is left out
// stands by itself.
Report narrowed(Report report, const std::set<NodeName>& nodes);

}  // namespace fabric::verify
