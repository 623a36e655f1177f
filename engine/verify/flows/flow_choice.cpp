#include "engine/verify/flows/flow_choice.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/verify/flows/flow_ends.hpp"
#include "engine/verify/paths/endpoints.hpp"
#include "engine/verify/paths/paths.hpp"
#include "engine/verify/paths/topology.hpp"

namespace fabric::verify {

namespace {

struct Pair {
  PortRef a, b;
  Route route;
};

// A card that is met at its other port forwards once more inside itself.
std::pair<std::size_t, std::size_t> cost(const Route& route) {
  return {route.cables.size(), route.transit.size()};
}

class Pairs {
 public:
  Pairs(const FabricSpec& spec, const Topology& topology) : spec_{spec}, topology_{topology} {}

  std::vector<Pair> of(const NetworkSpec& network) {
    pairs_.clear();
    if (network.mode.value == Mode::lag) {
      nodes_in_order(network);
      return pairs_;
    }
    cabled(network);
    over_switches(network);
    if (network.mode.value == Mode::chain) farther(network);
    return pairs_;
  }

 private:
  void add(const PortRef& a, const PortRef& b) {
    if (a.node == b.node || !is_host(spec_, a) || !is_host(spec_, b)) return;
    pairs_.push_back({a, b, topology_.route(a, b)});
  }

  void cabled(const NetworkSpec& network) {
    for (const CableSpec& cable : network.cables)
      add(cable.a.value, cable.b.value);
  }

  // Each port and the next of another node, so that every port takes part.
  void over_switches(const NetworkSpec& network) {
    std::vector<PortRef> ports;
    for (const PortRef& port : network.member_ports()) {
      const std::vector<PortRef> met = topology_.walk(port);
      if (is_host(spec_, port) && (met.empty() || met.front().adapter.empty()))
        ports.push_back(port);
    }
    for (std::size_t i = 0; i + 1 < ports.size(); ++i)
      add(ports[i], ports[i + 1]);
  }

  void nodes_in_order(const NetworkSpec& network) {
    std::vector<PortRef> first;
    for (const PortRef& port : network.member_ports()) {
      const bool known = std::any_of(first.begin(), first.end(), [&](const PortRef& other) {
        return other.node == port.node;
      });
      if (!known && is_host(spec_, port)) first.push_back(port);
    }
    for (std::size_t i = 0; i + 1 < first.size(); ++i)
      add(first[i], first[i + 1]);
  }

  void farther(const NetworkSpec& network) {
    const std::vector<PortRef> members = network.member_ports();
    // As with pings, every pair of a larger ring would take too long.
    if (members.size() > kPortsForAllPairs) return;
    std::map<std::pair<NodeName, NodeName>, Pair> shortest;
    for (const PortRef& from : members) {
      for (const PortRef& to : members) {
        if (!(from.node < to.node) || !is_host(spec_, from) || !is_host(spec_, to)) continue;
        const Pair pair{from, to, topology_.route(from, to)};
        if (!pair.route.complete) continue;
        const auto [found, fresh] = shortest.emplace(std::pair{from.node, to.node}, pair);
        if (!fresh && cost(pair.route) < cost(found->second.route)) found->second = pair;
      }
    }
    for (const auto& [nodes, pair] : shortest) {
      if (pair.route.cables.size() > 1) pairs_.push_back(pair);
    }
  }

  const FabricSpec& spec_;
  const Topology& topology_;
  std::vector<Pair> pairs_;
};

Flow flow_of(const FlowEnds& ends, const NetworkSpec& network, const Pair& pair, FlowTool tool) {
  std::string why_not;
  FlowEnd client = ends.of(network, pair.a, tool, why_not);
  FlowEnd server = ends.of(network, pair.b, tool, why_not);
  Flow flow{
      tool,
      network.name,
      std::move(client),
      std::move(server),
      pair.route.cables,
      pair.route.transit,
      0,
      {},
      std::move(why_not),
      std::nullopt};
  for (const FlowEnd* end : {&flow.client, &flow.server}) {
    if (flow.tool_missing_on || ends.has_tool(end->port.node, tool)) continue;
    flow.tool_missing_on = end->port.node;
    flow.why_not = fmt::format("{} is not on {}", to_string(tool), end->port.node.str());
  }
  for (const FlowEnd* end : {&flow.client, &flow.server})
    ends.limit(flow, *end);
  return flow;
}

bool is_asked(const NetworkSpec& network, FlowTool tool) {
  return tool == FlowTool::ib_send_bw || network.mode.value != Mode::infiniband;
}

}  // namespace

std::vector<Flow> flows_to_test(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const ReadingsByNode& readings,
    FlowTool tool) {
  const Topology topology{spec};
  const Evidence evidence{spec, snapshot};
  const FlowEnds ends{spec, evidence, readings};
  Pairs pairs{spec, topology};
  std::vector<Flow> flows;
  for (const auto& [name, network] : spec.networks) {
    if (!is_asked(network, tool)) continue;
    for (const Pair& pair : pairs.of(network)) {
      if (!evidence.node(pair.a.node).reached || !evidence.node(pair.b.node).reached) continue;
      flows.push_back(flow_of(ends, network, pair, tool));
    }
  }
  return flows;
}

std::vector<std::vector<std::size_t>> flow_rounds(const std::vector<Flow>& flows) {
  struct Round {
    std::set<NodeName> nodes;
    std::set<std::size_t> cables;
    std::vector<std::size_t> flows;
  };
  std::vector<Round> rounds;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    if (!flow.why_not.empty()) continue;
    std::set<NodeName> nodes{flow.transit.begin(), flow.transit.end()};
    nodes.insert({flow.client.port.node, flow.server.port.node});
    const auto fits = [&](const Round& round) {
      const bool busy = std::any_of(nodes.begin(), nodes.end(), [&](const NodeName& node) {
        return round.nodes.contains(node);
      });
      return !busy && std::none_of(flow.cables.begin(), flow.cables.end(), [&](std::size_t cable) {
        return round.cables.contains(cable);
      });
    };
    auto round = std::find_if(rounds.begin(), rounds.end(), fits);
    if (round == rounds.end()) round = rounds.insert(rounds.end(), Round{});
    round->nodes.insert(nodes.begin(), nodes.end());
    round->cables.insert(flow.cables.begin(), flow.cables.end());
    round->flows.push_back(i);
  }
  std::vector<std::vector<std::size_t>> result;
  for (Round& round : rounds)
    result.push_back(std::move(round.flows));
  return result;
}

}  // namespace fabric::verify
