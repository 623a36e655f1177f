// SPDX-License-Identifier: Apache-2.0
// Reads the locks of many nodes. Changes nothing.
#pragma once

#include <map>

#include "engine/base/random.hpp"
#include "engine/execute/lease/leases.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::execute {

// The lease of each node whose platform has locks; nullopt if the node is not locked. Fails for a
// node as the connection does, or as NodeLock::answer().
std::map<NodeName, Result<std::optional<Lease>>> read_leases(
    const platform::NodePlatforms& nodes, remote::StepRunner& runner, Random& random);

}  // namespace fabric::execute
