// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/flows/flow_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "engine/provider/node_platforms.hpp"
#include "engine/verify/flows/flow_ends.hpp"
#include "engine/verify/paths/endpoints.hpp"
#include "engine/verify/paths/paths.hpp"

namespace fabric::verify {

namespace {

// Cost of a route: cables, then forwarding cards. A card met at its other port counts as one.
std::pair<std::size_t, std::size_t> cost(const Route& route) {
  return {route.cables.size(), route.transit.size()};
}

class Pairs {
 public:
  Pairs(const FabricSpec& spec, const Topology& topology, const NetworkSpec& network)
      : spec_{spec}, topology_{topology}, network_{network}, members_{network.member_ports()} {}

  std::vector<FlowPair> neighbours() && {
    if (network_.mode.value == Mode::lag) {
      nodes_in_order();
      return std::move(pairs_);
    }
    for (const CableSpec& cable : network_.cables)
      add(cable.a.value, cable.b.value);
    over_switches();
    if (network_.mode.value == Mode::chain) farther();
    return std::move(pairs_);
  }

  // Pairs nodes by the circle method: one node stays, the others go round it. With an odd number of
  // nodes, the node that meets the empty place rests.
  std::vector<FlowPair> everyone() && {
    std::map<NodeName, std::vector<PortRef>> ports;
    for (const PortRef& port : members_) {
      if (is_host(spec_, port)) ports[port.node].push_back(port);
    }
    std::vector<const std::vector<PortRef>*> circle;
    for (const auto& [node, its] : ports)
      circle.push_back(&its);
    if (circle.size() % 2 == 1) circle.push_back(nullptr);
    for (std::size_t round = 0; round + 1 < circle.size(); ++round) {
      for (std::size_t i = 0; i < circle.size() / 2; ++i) {
        const auto* one = circle[i];
        const auto* other = circle[circle.size() - 1 - i];
        if (one != nullptr && other != nullptr) meet(*one, *other, round);
      }
      std::rotate(circle.begin() + 1, circle.end() - 1, circle.end());
    }
    return std::move(pairs_);
  }

 private:
  void add(const PortRef& a, const PortRef& b) {
    if (a.node == b.node || !is_host(spec_, a) || !is_host(spec_, b)) return;
    pairs_.push_back({a, b, topology_.route(a, b)});
  }

  bool leads_to_a_switch(const PortRef& port) const {
    const std::vector<PortRef> met = topology_.walk(port);
    return met.empty() || met.front().adapter.empty();
  }

  // Each port and the next of another node, so that every port takes part.
  void over_switches() {
    std::vector<PortRef> ports;
    for (const PortRef& port : members_) {
      if (is_host(spec_, port) && leads_to_a_switch(port)) ports.push_back(port);
    }
    for (std::size_t i = 0; i + 1 < ports.size(); ++i)
      add(ports[i], ports[i + 1]);
  }

  void nodes_in_order() {
    std::vector<PortRef> first;
    for (const PortRef& port : members_) {
      const bool known =
          std::ranges::any_of(first, [&](const PortRef& other) { return other.node == port.node; });
      if (!known && is_host(spec_, port)) first.push_back(port);
    }
    for (std::size_t i = 0; i + 1 < first.size(); ++i)
      add(first[i], first[i + 1]);
  }

  void farther() {
    // As with pings, every pair of a larger ring would take too long.
    if (members_.size() > kPortsForAllPairs) return;
    std::map<std::pair<NodeName, NodeName>, FlowPair> shortest;
    for (const PortRef& from : members_) {
      for (const PortRef& to : members_) {
        if (!(from.node < to.node) || !is_host(spec_, from) || !is_host(spec_, to)) continue;
        const FlowPair pair{from, to, topology_.route(from, to)};
        if (!pair.route.complete) continue;
        const auto [found, fresh] = shortest.emplace(std::pair{from.node, to.node}, pair);
        if (!fresh && cost(pair.route) < cost(found->second.route)) found->second = pair;
      }
    }
    for (const auto& [nodes, pair] : shortest) {
      if (pair.route.cables.size() > 1) pairs_.push_back(pair);
    }
  }

  std::vector<PortRef> at_switches(const std::vector<PortRef>& ports) const {
    std::vector<PortRef> found;
    std::ranges::copy_if(ports, std::back_inserter(found), [this](const PortRef& port) {
      return leads_to_a_switch(port);
    });
    return found;
  }

  // Through switches where both nodes have ports there, else by the shortest way of cables. Two
  // nodes without either never meet.
  void meet(const std::vector<PortRef>& one, const std::vector<PortRef>& other, std::size_t turn) {
    if (network_.mode.value == Mode::lag) return add(one.front(), other.front());
    const std::vector<PortRef> from = at_switches(one), to = at_switches(other);
    if (!from.empty() && !to.empty()) return add(from[turn % from.size()], to[turn % to.size()]);
    std::optional<FlowPair> shortest;
    for (const PortRef& a : one) {
      for (const PortRef& b : other) {
        const FlowPair pair{a, b, topology_.route(a, b)};
        if (pair.route.complete && (!shortest || cost(pair.route) < cost(shortest->route)))
          shortest = pair;
      }
    }
    if (shortest) pairs_.push_back(*shortest);
  }

  const FabricSpec& spec_;
  const Topology& topology_;
  const NetworkSpec& network_;
  std::vector<PortRef> members_;
  std::vector<FlowPair> pairs_;
};

}  // namespace

std::vector<FlowPair> flow_pairs(
    const FabricSpec& spec, const Topology& topology, const NetworkSpec& network, FlowPairs pairs) {
  Pairs made{spec, topology, network};
  return pairs == FlowPairs::all ? std::move(made).everyone() : std::move(made).neighbours();
}

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
    while (std::ranges::any_of(
        taken, [round](const Busy* busy) { return round < busy->size() && (*busy)[round]; }))
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
