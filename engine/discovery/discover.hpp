// Reads the facts of many nodes through a StepRunner.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/provider/facts.hpp"
#include "engine/provider/registry.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::discovery {

struct DiscoverOptions {
  Duration timeout{60'000};  // per node, the whole of it
  std::size_t parallelism = 64;
  // Called as each node is done, in the order they end; and every 5 s with the nodes still
  // missing (slowest first). Either may be empty.
  std::function<void(const NodeFacts&)> node_done;
  std::function<void(const std::vector<NodeName>&)> still_waiting;
};

// In order of name whatever the parallelism. An unreachable node is data, not a failure.
std::vector<NodeFacts> discover(
    std::vector<NodeName> nodes,
    const std::vector<Probe>& probes,
    remote::StepRunner& runner,
    Random& random,
    const DiscoverOptions& options);

}  // namespace fabric::discovery
