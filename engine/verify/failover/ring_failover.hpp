// SPDX-License-Identifier: Apache-2.0
// Fail-over of rings whose cards forward. No action on a host takes a cable away there: a port that
// is closed may keep its link, and its card still forwards (E-chain-host-down). So the test judges
// cables that a person has unplugged.
#pragma once

#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/failover/failover.hpp"
#include "engine/verify/report/path_report.hpp"

namespace fabric::verify {

// Returns one report for each network of mode chain, from the pings made while a cable had no
// carrier at either end or a node was down: passed if every path passed that the rest of the ring
// must carry; untested while nothing is missing.
std::vector<FailoverReport> ring_failovers(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const std::vector<PathReport>& paths);

// The untested report for a document without anything to test. REQUIRES: it has a node.
FailoverReport nothing_to_fail_over(const FabricSpec& spec);

}  // namespace fabric::verify
