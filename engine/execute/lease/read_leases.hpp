// SPDX-License-Identifier: Apache-2.0
// Reads the locks of many nodes. Changes nothing.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "engine/base/node_name.hpp"
#include "engine/base/random.hpp"
#include "engine/execute/lease/leases.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::execute {

// Holds the same conversation with several nodes at once, one step after the other on each.
using FirstStep = std::function<remote::Step(const NodeName&)>;
// The step after an answer; nullopt when the conversation with the node has ended.
using NextStep =
    std::function<std::optional<remote::Step>(const NodeName&, const remote::StepResult&)>;

// Returns when every conversation has ended. Late answers to steps of other callers are dropped.
void ask_nodes(
    const std::vector<NodeName>& nodes,
    remote::StepRunner& runner,
    Random& random,
    const FirstStep& first,
    const NextStep& next);

// The lease of each node whose platform has locks; nullopt if the node is not locked. Fails for a
// node as the connection does, or as NodeLock::answer().
std::map<NodeName, Result<std::optional<Lease>>> read_leases(
    const platform::NodePlatforms& nodes, remote::StepRunner& runner, Random& random);

}  // namespace fabric::execute
