// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/discovering.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/node_platforms.hpp"
#include "engine/workflow/wire_reading.hpp"

namespace fabric::workflow {

namespace {

discovery::ProbesByPlatform all_probes(const Registry& registry) {
  discovery::ProbesByPlatform probes;
  for (const Platform platform : registry.platforms())
    probes.emplace(platform, registry.all_probes(platform));
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
  constexpr std::size_t kAhead = 16;
  options.ahead = std::min(limits.parallelism, kAhead);
  options.node_done = [&](const NodeFacts& facts) {
    listener.discover_node(facts);
  };
  options.still_waiting = [&](const std::vector<NodeName>& nodes) {
    listener.discover_waiting(nodes);
  };
  listener.phase("discovering");
  listener.discover_started(desired.nodes.size() + desired.outside.size());
  const auto ask = [&](const std::vector<NodeName>& nodes,
                       const discovery::ProbesByPlatform& probes) {
    return discovery::discover(
        platform::platforms_of(nodes, desired.spec, desired.registry),
        probes,
        runner,
        random,
        options);
  };
  std::vector<NodeFacts> facts = ask(desired.nodes, all_probes(desired.registry));
  if (!desired.outside.empty()) {
    discovery::ProbesByPlatform probes;
    const bool drains = std::ranges::any_of(desired.resources, [](const Resource& resource) {
      return resource.binding.contains(keys::kInterruptedBy);
    });
    for (const Platform platform : desired.registry.platforms()) {
      if (drains)
        probes.emplace(platform, desired.registry.probes(platform, {std::string{kinds::kDrain}}));
    }
    std::vector<NodeFacts> outside = ask(desired.outside, probes);
    std::move(outside.begin(), outside.end(), std::back_inserter(facts));
  }
  listener.discover_ended();
  look_for_peers(listener, desired, facts, runner);
  return facts;
}

bool complete(const discovery::Snapshot& snapshot) {
  return std::ranges::all_of(
      snapshot.nodes, [](const auto& node) { return node.second.facts.reachable(); });
}

namespace {

constexpr Duration kHeartbeat{5'000};

}  // namespace

std::map<NodeName, remote::StepResult> run_on_nodes(
    Listener& listener,
    const std::map<NodeName, remote::Step>& steps,
    remote::StepRunner& runner,
    std::string_view doing) {
  listener.phase(doing);
  std::map<remote::Ticket, NodeName> running;
  remote::Ticket next = 1;
  for (const auto& [node, step] : steps) {
    running.emplace(next, node);
    runner.start({next, node, step});
    ++next;
  }
  std::map<NodeName, remote::StepResult> answers;
  while (!running.empty()) {
    std::optional<remote::StepResult> result = runner.wait_any(kHeartbeat);
    if (!result) {
      std::vector<NodeName> waiting;
      for (const auto& [ticket, node] : running)
        waiting.push_back(node);
      listener.note(fmt::format("still {} {}", doing, fold(waiting)));
      continue;
    }
    const auto found = running.find(result->ticket);
    if (found == running.end()) continue;
    answers.emplace(found->second, std::move(*result));
    running.erase(found);
  }
  return answers;
}

}  // namespace fabric::workflow
