// SPDX-License-Identifier: Apache-2.0
#include "plans/hooks.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "engine/base/check.hpp"
#include "engine/graph/dag.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/disruption_hooks.hpp"

namespace fabric::plans {

namespace {

// How long a node may take into a maintenance mode where the document does not say: as long as a
// hook may take.
constexpr Duration kEnterWithin{600'000};

Vertex add_hook(HookGraph& graph, const NodeName& node, std::uint32_t wave, ActionDraft draft) {
  Action action{.node = node, .wave = wave};
  action.draft = std::move(draft);
  graph.actions.push_back(std::move(action));
  return graph.actions.size() - 1;
}

// The place of each action in an order that the edges allow.
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

// The work that disrupts one node in one wave.
struct Disrupted {
  std::vector<Vertex> by;      // on the node itself or on its switches
  std::set<NodeName> on;       // the nodes of these actions
  std::vector<Vertex> own;     // all actions of the node in the wave, if one of them disrupts
  std::vector<Vertex> awaits;  // prerequisites of the first of them, on other nodes
};
using Disruptions = std::map<NodeName, std::map<std::uint32_t, Disrupted>>;  // by wave

// The nodes with a drain. A host whose switch is disturbed enters no maintenance mode for that:
// without hooks, the document does not ask for a drain.
Disruptions disruptions_of(
    const std::map<NodeName, const Resource*>& drains, const HookGraph& graph) {
  Disruptions found;
  for (const auto& entry : graph.disturbing) {
    const NodeName& node = entry.first;
    const std::vector<Vertex>& vertices = entry.second;
    const auto add = [&](const NodeName& disrupted) {
      for (const Vertex vertex : vertices) {
        Disrupted& here = found[disrupted][graph.actions[vertex].wave];
        here.by.push_back(vertex);
        here.on.insert(node);
      }
    };
    if (drains.contains(node)) add(node);
    const auto hosts = graph.behind.find(node);
    if (hosts == graph.behind.end()) continue;
    for (const NodeName& host : hosts->second) {
      const auto drain = drains.find(host);
      if (drain != drains.end() && has_hooks(*drain->second)) add(host);
    }
  }
  return found;
}

// The work of the node in the wave, without the end of an earlier run's drain and a person's work.
std::vector<Vertex> done_in(
    const HookGraph& graph, const std::vector<Vertex>& of_node, std::uint32_t wave) {
  std::vector<Vertex> done;
  std::copy_if(of_node.begin(), of_node.end(), std::back_inserter(done), [&](Vertex vertex) {
    const Action& action = graph.actions[vertex];
    return action.wave == wave && action.draft.by_hand.empty() &&
           action.draft.kind != methods::kHookAfter;
  });
  return done;
}

// No node is drained while its first action still waits for another node.
void find_awaited(
    const HookGraph& graph,
    const std::vector<std::size_t>& position,
    const std::map<Vertex, std::vector<Vertex>>& before,
    const NodeName& node,
    Disrupted& disrupted) {
  std::set<Vertex> enclosed{disrupted.by.begin(), disrupted.by.end()};
  enclosed.insert(disrupted.own.begin(), disrupted.own.end());
  const auto earlier = [&](Vertex a, Vertex b) {
    return position[a] < position[b];
  };
  const Vertex first = *std::min_element(enclosed.begin(), enclosed.end(), earlier);
  for (const Vertex vertex : enclosed) {
    const auto found = before.find(vertex);
    for (const Vertex each : found == before.end() ? std::vector<Vertex>{} : found->second) {
      if (graph.actions[each].node != node && earlier(each, first))
        disrupted.awaits.push_back(each);
    }
  }
}

class Enclosing {
 public:
  Enclosing(HookGraph& graph, const std::map<NodeName, std::vector<Vertex>>& of_node)
      : graph_{graph}, of_node_{of_node} {}

  // Adds the hooks around the disruption. `earlier`: the action that ends the hooks of an earlier
  // wave. Returns the action that ends these.
  std::optional<Vertex> enclose(
      const Resource& drain,
      std::uint32_t wave,
      const Disrupted& disrupted,
      std::optional<Vertex> earlier) {
    const NodeName& name = drain.address.node;
    const platform::HostPlatform& host = graph_.registry.host(drain.platform);
    const platform::MaintenanceMode* maintenance = host.maintenance_mode();
    const DrainRecord record = maintenance == nullptr
                                   ? DrainRecord{drained_record(host.state_folder()), {}, {}}
                                   : DrainRecord{{}, maintenance->note(), maintenance->leave()};
    const auto behind = graph_.behind.find(name);
    const std::set<NodeName> interrupts =
        behind == graph_.behind.end() ? std::set<NodeName>{} : behind->second;
    std::optional<ActionDraft> begins = before_disruption(drain, record, interrupts);
    if (!begins) return earlier;
    const Vertex opener = add_hook(graph_, name, wave, *std::move(begins));
    if (earlier) graph_.after.emplace(*earlier, opener);
    for (const Vertex vertex : disrupted.awaits)
      graph_.needs.emplace(vertex, opener);
    const bool is_own = disrupted.on.contains(name);
    Vertex ready = opener;
    if (maintenance != nullptr && is_own) {
      const Duration within = drain_timeout(drain).value_or(kEnterWithin);
      ready = add_hook(graph_, name, wave, enter_maintenance(drain, maintenance->enter(within)));
      graph_.needs.emplace(opener, ready);
    }
    for (const auto* enclosed : {&disrupted.by, &disrupted.own}) {
      for (const Vertex vertex : *enclosed)
        graph_.needs.emplace(ready, vertex);
    }
    std::optional<ActionDraft> ends = after_disruption(drain, record, interrupts);
    if (!ends) return opener;
    const auto owed = is_own ? graph_.owed.find(name) : graph_.owed.end();
    const Vertex closer =
        owed == graph_.owed.end() ? add_hook(graph_, name, wave, *std::move(ends)) : owed->second;
    graph_.closes.emplace(closer, opener);
    graph_.after.emplace(opener, closer);
    if (ready != opener) graph_.after.emplace(ready, closer);
    for (const NodeName& node : disrupted.on)
      follow_all(node, wave, closer);
    return closer;
  }

 private:
  // Work by a person may be in a later wave.
  void follow_all(const NodeName& node, std::uint32_t wave, Vertex closer) {
    for (const Vertex vertex : of_node_.at(node)) {
      if (vertex != closer && graph_.actions[vertex].wave <= wave)
        graph_.after.emplace(vertex, closer);
    }
  }

  HookGraph& graph_;
  const std::map<NodeName, std::vector<Vertex>>& of_node_;
};

}  // namespace

void weave_hooks(const ResourceIndex& resources, HookGraph graph) {
  std::map<NodeName, const Resource*> drains;
  for (std::size_t index = 0; index < resources.size(); ++index) {
    const Resource& resource = resources.at(index);
    if (resource.address.kind == kinds::kDrain && !only_observed(resource))
      drains.emplace(resource.address.node, &resource);
  }
  Disruptions disruptions = disruptions_of(drains, graph);
  if (disruptions.empty()) return;
  const std::vector<std::size_t> position = positions(graph);
  std::map<NodeName, std::vector<Vertex>> of_node;
  for (Vertex vertex = 0; vertex < position.size(); ++vertex)
    of_node[graph.actions[vertex].node].push_back(vertex);
  std::map<Vertex, std::vector<Vertex>> before;
  for (const auto& [from, to] : graph.needs)
    before[to].push_back(from);
  for (auto& [node, by_wave] : disruptions) {
    for (auto& [wave, disrupted] : by_wave) {
      if (disrupted.on.contains(node)) disrupted.own = done_in(graph, of_node.at(node), wave);
      find_awaited(graph, position, before, node, disrupted);
    }
  }
  Enclosing enclosing{graph, of_node};
  for (const auto& [node, by_wave] : disruptions) {
    std::optional<Vertex> earlier;
    for (const auto& [wave, disrupted] : by_wave)
      earlier = enclosing.enclose(*drains.at(node), wave, disrupted, earlier);
  }
}

}  // namespace fabric::plans
