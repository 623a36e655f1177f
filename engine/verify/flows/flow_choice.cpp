// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/flows/flow_choice.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/provider/node_platforms.hpp"
#include "engine/verify/flows/flow_ends.hpp"
#include "engine/verify/paths/topology.hpp"

namespace fabric::verify {

namespace {

// Finds the measuring tool of each end's platform, and whether its node has it.
void find_tools(
    Flow& flow, const FlowEnds& ends, const FabricSpec& spec, const Registry& registry) {
  bool known = false;
  for (const FlowEnd* end : {&flow.client, &flow.server}) {
    const NodeName& node = end->port.node;
    const platform::PathTests* tests = platform::platform_of(node, spec, registry).path_tests();
    if (tests == nullptr) {
      flow.untestable = node;
      flow.why_not = fmt::format("the platform of {} has no path tests", node.str());
      return;
    }
    const bool missing = !flow.tool_missing_on && !ends.is_measurable(node, flow.traffic);
    if (!known || missing) flow.tool = tests->tool(flow.traffic);
    known = true;
    if (!missing) continue;
    flow.tool_missing_on = node;
    flow.why_not = fmt::format("{} is not on {}", flow.tool.program, node.str());
  }
}

Flow flow_of(
    const FlowEnds& ends, const NetworkSpec& network, const FlowPair& pair, Traffic traffic) {
  std::string why_not;
  FlowEnd client = ends.of(network, pair.a, traffic, why_not);
  FlowEnd server = ends.of(network, pair.b, traffic, why_not);
  Flow flow{traffic, network.name, std::move(client), std::move(server)};
  flow.cables = pair.route.cables;
  flow.transit = pair.route.transit;
  flow.why_not = std::move(why_not);
  for (const FlowEnd* end : {&flow.client, &flow.server})
    ends.limit(flow, *end);
  return flow;
}

bool is_asked(const NetworkSpec& network, Traffic traffic) {
  return traffic == Traffic::rdma || network.mode.value != Mode::infiniband;
}

}  // namespace

std::vector<Flow> flows_to_test(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const ReadingsByNode& readings,
    const Registry& registry,
    const FlowWish& wish) {
  const Topology topology{spec};
  const discovery::Evidence evidence{spec, snapshot};
  const FlowEnds ends{spec, evidence, readings};
  std::vector<Flow> flows;
  for (const auto& [name, network] : spec.networks) {
    if (!is_asked(network, wish.traffic)) continue;
    for (const FlowPair& pair : flow_pairs(spec, topology, network, wish.pairs)) {
      if (!wish.limit.empty() && !wish.limit.contains(pair.a.node) &&
          !wish.limit.contains(pair.b.node))
        continue;
      if (!evidence.node(pair.a.node).reached || !evidence.node(pair.b.node).reached) continue;
      flows.push_back(flow_of(ends, network, pair, wish.traffic));
      find_tools(flows.back(), ends, spec, registry);
    }
  }
  return flows;
}

std::vector<std::vector<std::size_t>> flow_rounds(const std::vector<Flow>& flows) {
  // In which rounds a node or a cable is busy: all pairs of some hundred nodes are a hundred
  // thousand flows.
  using Busy = std::vector<bool>;
  std::map<NodeName, Busy> nodes;
  std::map<std::size_t, Busy> cables;
  std::vector<std::vector<std::size_t>> rounds;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    if (!flow.why_not.empty()) continue;
    std::vector<Busy*> taken{&nodes[flow.client.port.node], &nodes[flow.server.port.node]};
    for (const NodeName& node : flow.transit)
      taken.push_back(&nodes[node]);
    for (const std::size_t cable : flow.cables)
      taken.push_back(&cables[cable]);
    std::size_t round = 0;
    while (std::any_of(taken.begin(), taken.end(), [round](const Busy* busy) {
      return round < busy->size() && (*busy)[round];
    }))
      ++round;
    for (Busy* busy : taken) {
      if (busy->size() <= round) busy->resize(round + 1);
      (*busy)[round] = true;
    }
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back(i);
  }
  return rounds;
}

}  // namespace fabric::verify
