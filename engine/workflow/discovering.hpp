// SPDX-License-Identifier: Apache-2.0
// Discovery as every workflow does it: the probes of all providers of its platform, and the
// platform's own.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/discovery/discover.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/remote/runner.hpp"
#include "engine/workflow/listener.hpp"
#include "engine/workflow/wanted.hpp"

namespace fabric::workflow {

// How nodes are read; the defaults are those of DiscoverOptions.
struct DiscoverLimits {
  Duration timeout = discovery::DiscoverOptions{}.timeout;  // per node, the whole of it
  std::size_t parallelism = discovery::DiscoverOptions{}.parallelism;
};

// The facts of the nodes that are asked, sorted by name, and the identity of nodes outside of the
// limit. An unreachable node is data, not a failure.
std::vector<NodeFacts> discover(
    const Desired& desired,
    const DiscoverLimits& limits,
    Listener& listener,
    remote::StepRunner& runner,
    Random& random);

// True if every node was reached.
bool complete(const discovery::Snapshot& snapshot);

// One step on each of many nodes.
// Runs on all nodes at the same time; `doing` is the progress message while it takes long: "pinging
// from".
std::map<NodeName, remote::StepResult> run_on_nodes(
    Listener& listener,
    const std::map<NodeName, remote::Step>& steps,
    remote::StepRunner& runner,
    std::string_view doing);

}  // namespace fabric::workflow
