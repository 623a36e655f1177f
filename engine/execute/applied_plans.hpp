// SPDX-License-Identifier: Apache-2.0
// A plan that was carried out is not carried out again by chance: by a pipeline that runs twice, or
// by an operator with an old signed plan. The nodes record it (platform/plan_record).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/execute/executor.hpp"
#include "engine/provider/node_platforms.hpp"

namespace fabric::execute {

// Fails with ErrorCode::stale if every node of `nodes` (those with actions) records that all of the
// plan was done there; a plan that was done in part may continue. Nodes whose platform keeps no
// record don't count. Else fails as the first node that could not be asked. REQUIRES: the leases
// are held.
Result<void> refuse_applied(
    const plans::Plan& plan,
    const platform::NodePlatforms& nodes,
    remote::StepRunner& runner,
    Random& random);

// The nodes that record that all of the plan was done there. A node that can't be asked is left
// out. REQUIRES: the leases are held.
std::set<NodeName> applied_on(
    const plans::Plan& plan,
    const platform::NodePlatforms& nodes,
    remote::StepRunner& runner,
    Random& random);

// Records the plan on each of `nodes` on which all actions of it were done. Returns those that
// could not record it. REQUIRES: the leases are held.
std::vector<NodeName> record_applied(
    const plans::Plan& plan,
    const RunResult& result,
    const std::string& run,
    const platform::NodePlatforms& nodes,
    remote::StepRunner& runner,
    Random& random);

}  // namespace fabric::execute
