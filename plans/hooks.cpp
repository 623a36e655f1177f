// SPDX-License-Identifier: Apache-2.0
#include "plans/hooks.hpp"

#include <algorithm>

#include "engine/base/check.hpp"
#include "engine/graph/dag.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/provider/disruption_hooks.hpp"

namespace fabric::plans {

namespace {

// Into a maintenance mode, where the document says nothing: as long as a hook may take.
constexpr Duration kEnterWithin{600'000};

Vertex add_hook(HookGraph& graph, const NodeName& node, ActionDraft draft) {
  Action action{.node = node, .wave = graph.wave_of.at(node)};
  action.draft = std::move(draft);
  graph.actions.push_back(std::move(action));
  return graph.actions.size() - 1;
}

// Of each action its place in an order that the edges allow.
std::vector<std::size_t> positions(const HookGraph& graph) {
  graph::Dag dag{graph.actions.size()};
  for (const auto& [before, after] : graph.needs)
    dag.add_edge(before, after);
  const auto order = dag.topological_order();
  FABRIC_CHECK(order.has_value(), "actions wait for each other");
  std::vector<std::size_t> position(graph.actions.size());
  for (std::size_t i = 0; i < order->size(); ++i)
    position[(*order)[i]] = i;
  return position;
}

// What is known of the actions of one node.
struct OfNode {
  std::vector<Vertex> all;
  std::vector<Vertex> before_first;  // what its first disruption waits for
};

void enclose(const Resource& drain, const OfNode& node, HookGraph& graph) {
  const NodeName& name = drain.address.node;
  const platform::HostPlatform& host = graph.registry.host(drain.platform);
  const platform::MaintenanceMode* maintenance = host.maintenance_mode();
  const DrainRecord record = maintenance == nullptr
                                 ? DrainRecord{drained_record(host.state_folder()), {}, {}}
                                 : DrainRecord{{}, maintenance->note(), maintenance->leave()};
  std::optional<ActionDraft> begins = before_disruption(drain, record);
  if (!begins) return;
  const Vertex opener = add_hook(graph, name, *std::move(begins));
  for (const Vertex vertex : node.before_first)
    graph.needs.emplace(vertex, opener);
  Vertex ready = opener;
  if (maintenance != nullptr) {
    ready = add_hook(
        graph,
        name,
        enter_maintenance(drain, maintenance->enter(drain_timeout(drain).value_or(kEnterWithin))));
    graph.needs.emplace(opener, ready);
  }
  for (const Vertex vertex : graph.disturbing.at(name))
    graph.needs.emplace(ready, vertex);
  std::optional<ActionDraft> ends = after_disruption(drain, record);
  if (!ends) return;
  const auto owed = graph.owed.find(name);
  const Vertex closer =
      owed == graph.owed.end() ? add_hook(graph, name, *std::move(ends)) : owed->second;
  graph.closes.emplace(closer, opener);
  graph.after.emplace(opener, closer);
  if (ready != opener) graph.after.emplace(ready, closer);
  // A person's turn may be in a later wave.
  for (const Vertex vertex : node.all) {
    if (vertex != closer && graph.actions[vertex].wave <= graph.actions[opener].wave)
      graph.after.emplace(vertex, closer);
  }
}

}  // namespace

void weave_hooks(const ResourceIndex& resources, HookGraph graph) {
  std::vector<const Resource*> drains;
  for (std::size_t index = 0; index < resources.size(); ++index) {
    const Resource& resource = resources.at(index);
    const bool counts = resource.address.kind == kinds::kDrain && !only_observed(resource);
    if (counts && graph.disturbing.contains(resource.address.node)) drains.push_back(&resource);
  }
  if (drains.empty()) return;
  const std::vector<std::size_t> position = positions(graph);
  std::map<NodeName, OfNode> nodes;
  for (Vertex vertex = 0; vertex < position.size(); ++vertex)
    nodes[graph.actions[vertex].node].all.push_back(vertex);
  std::map<Vertex, std::vector<Vertex>> before;
  for (const auto& [from, to] : graph.needs)
    before[to].push_back(from);
  for (const Resource* drain : drains) {
    const NodeName& name = drain->address.node;
    const std::vector<Vertex>& disturbing = graph.disturbing.at(name);
    const Vertex first =
        *std::min_element(disturbing.begin(), disturbing.end(), [&](Vertex a, Vertex b) {
          return position[a] < position[b];
        });
    OfNode& node = nodes.at(name);
    node.before_first = before[first];
    enclose(*drain, node, graph);
  }
}

}  // namespace fabric::plans
