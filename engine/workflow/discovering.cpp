#include "engine/workflow/discovering.hpp"

#include <algorithm>

#include "engine/discovery/session_path.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::workflow {

namespace {

std::vector<Probe> all_probes(const Registry& registry) {
  std::vector<Probe> probes = registry.probes();
  for (Probe& probe : verify::verify_probes()) {
    const bool known = std::any_of(
        probes.begin(), probes.end(), [&](const Probe& other) { return other.id == probe.id; });
    if (!known) probes.push_back(std::move(probe));
  }
  probes.push_back(discovery::session_probe());
  return probes;
}

}  // namespace

std::vector<NodeFacts> discover(
    const Desired& desired,
    const DiscoverLimits& limits,
    Listener& listener,
    remote::StepRunner& runner,
    Random& random) {
  discovery::DiscoverOptions options;
  options.timeout = limits.timeout;
  options.parallelism = limits.parallelism;
  options.node_done = [&](const NodeFacts& facts) {
    listener.discover_node(facts);
  };
  options.still_waiting = [&](const std::vector<NodeName>& nodes) {
    listener.discover_waiting(nodes);
  };
  listener.phase("discovering");
  listener.discover_started(desired.nodes.size());
  std::vector<NodeFacts> facts =
      discovery::discover(desired.nodes, all_probes(desired.registry), runner, random, options);
  listener.discover_ended();
  return facts;
}

bool complete(const discovery::Snapshot& snapshot) {
  return std::all_of(snapshot.nodes.begin(), snapshot.nodes.end(), [](const auto& node) {
    return node.second.facts.reachable();
  });
}

}  // namespace fabric::workflow
