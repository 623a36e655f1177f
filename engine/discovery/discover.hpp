// SPDX-License-Identifier: Apache-2.0
// Reads the facts of many nodes through a StepRunner.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/node_platforms.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::discovery {

struct DiscoverOptions {
  Duration timeout{60'000};  // per node, the whole of it
  std::size_t parallelism = 64;
  // The number of further nodes whose steps already wait in the runner, so that none of its threads
  // idles; at most `parallelism`. Their timeout allows for the wait.
  std::size_t ahead = 0;
  // Called as each node is done, in the order in which they end; and every 5 s with the nodes still
  // missing (slowest first). Either may be empty.
  std::function<void(const NodeFacts&)> node_done;
  std::function<void(const std::vector<NodeName>&)> still_waiting;
};

using ProbesByPlatform = std::map<Platform, std::vector<Probe>>;

// Asks each node the probes of its platform (none: only its identity, which is always asked).
// Sorted by name at any parallelism. An unreachable node is data, not a failure.
std::vector<NodeFacts> discover(
    const platform::NodePlatforms& nodes,
    const ProbesByPlatform& probes,
    remote::StepRunner& runner,
    Random& random,
    const DiscoverOptions& options);

}  // namespace fabric::discovery
