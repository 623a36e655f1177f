// SPDX-License-Identifier: Apache-2.0
// Rollback timers of runs that died (I11): the next run that reaches the node finds, reports and
// confirms them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/node_name.hpp"
#include "engine/base/random.hpp"
#include "engine/base/result.hpp"
#include "engine/provider/node_platforms.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::execute {

struct OrphanGuard {
  NodeName node;
  std::string token;
  std::string holder;    // "action a0007 of pve1"
  bool firing = false;   // it is rolling back now
  bool foreign = false;  // no run of fabric has set it
};

struct FoundGuards {
  std::vector<OrphanGuard> guards;      // in order of node
  std::map<NodeName, Error> not_asked;  // errors; whether they have any is unknown
};

// Finds timers; changes nothing. Nodes whose platform has no rollback timer are not asked.
FoundGuards find_guards(
    const platform::NodePlatforms& nodes, remote::StepRunner& runner, Random& random);

// Disarms timers over new sessions: a new session is all that they wait for. REQUIRES: the leases
// of the nodes, so that no timer belongs to a live run; `platforms` has their nodes. Fails with
// ErrorCode::stale if something is rolled back, for then nothing is as it was planned, else as the
// first node that did not answer.
Result<void> confirm_guards(
    const std::vector<OrphanGuard>& guards,
    const platform::NodePlatforms& platforms,
    remote::StepRunner& runner,
    Random& random);

}  // namespace fabric::execute
