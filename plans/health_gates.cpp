// SPDX-License-Identifier: Apache-2.0
#include "plans/health_gates.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
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

namespace {

constexpr const char* kCarrier = "carrier";

constexpr const char* kManagerKind = "subnet_manager";
constexpr const char* kManages = "manages";
// A manager sweeps after its boot, or finds the other manager, before it answers.
constexpr Duration kManagerTakes{180'000};

bool is_manager(const Resource& resource) {
  return resource.address.kind == kManagerKind;
}

bool is_wanted_to_manage(const Resource& manager) {
  return manager.wanted(kManages) != nullptr;
}

const char* sign_of_life(const Resource& resource) {
  return is_manager(resource) ? kManages : kCarrier;
}

bool is_alive(const Resource& resource, const discovery::Snapshot& snapshot) {
  const auto node = snapshot.nodes.find(resource.address.node);
  if (node == snapshot.nodes.end()) return false;
  const auto observed = node->second.observations.find(resource.address);
  if (observed == node->second.observations.end()) return false;
  const auto sign = observed->second.attributes.find(sign_of_life(resource));
  return sign != observed->second.attributes.end() && sign->second.running &&
         sign->second.running->equals(true);
}

// (node, adapter): the plan changes the link type of a port there.
using Adapters = std::set<std::pair<std::string, std::string>>;

Adapters converted(const Candidates& candidates) {
  Adapters adapters;
  for (const Candidate& candidate : candidates) {
    if (candidate.address().kind != kinds::kSettings) continue;
    const auto& attributes = candidate.change.attributes;
    const bool converts = std::ranges::any_of(attributes, [](const AttributeChange& each) {
      return each.attribute.starts_with("LINK_TYPE");
    });
    if (converts) adapters.emplace(candidate.address().node.str(), candidate.address().name);
  }
  return adapters;
}

// What the undo of a run removes: managers, and maybe the carriers of ports that had none before,
// which no record says.
class TakenAway {
 public:
  explicit TakenAway(const Candidates& candidates) {
    for (const Candidate& candidate : candidates) {
      const Change& change = candidate.change;
      const auto& attributes = change.attributes;
      const bool ends = std::ranges::any_of(attributes, [&](const AttributeChange& each) {
        const Condition nothing{candidate.address(), each.attribute, Layer::running, Value{}};
        return each.desired.is_null() ||
               holds(nothing, Reading::of(each.desired), change.resource.platform);
      });
      if (!change.by_record || !candidate.planned() || !ends) continue;
      nodes_.insert(candidate.address().node.str());
      if (change.kind != ChangeKind::remove) continue;
      going_.insert(candidate.address());
      managers_ = managers_ || is_manager(change.resource);
    }
  }
  bool goes(const ResourceAddress& address) const { return going_.contains(address); }
  bool may_end(const std::string& node) const { return managers_ || nodes_.contains(node); }

 private:
  std::set<ResourceAddress> going_;
  std::set<std::string> nodes_;
  bool managers_ = false;
};

std::string title_of(
    const std::vector<std::string>& links, const std::vector<std::string>& managers) {
  std::vector<std::string> parts;
  if (!links.empty()) {
    parts.push_back(fmt::format(
        "the link{} {} {} up again",
        links.size() == 1 ? "" : "s",
        join(links, ", "),
        links.size() == 1 ? "is" : "are"));
  }
  if (!managers.empty()) {
    parts.push_back(fmt::format(
        "OpenSM {} manage{} again", join(managers, ", "), managers.size() == 1 ? "s" : ""));
  }
  return "see that " + join(parts, " and ");
}

ActionDraft gate(const std::vector<const Resource*>& live, Duration patience) {
  ActionDraft draft;
  draft.kind = methods::kHealthCheck;
  draft.stage = Stage::activate;
  draft.timeout = patience;
  std::vector<std::string> links;
  std::vector<std::string> managers;
  for (const Resource* each : live) {
    if (is_manager(*each)) {
      managers.push_back(each->address.name);
      draft.timeout = std::max(patience, kManagerTakes);
    } else {
      links.push_back(fmt::format(
          "{} to {}", each->address.name, Value{each->binding}.string_or_empty(keys::kOtherEnd)));
    }
    draft.postconditions.push_back({each->address, sign_of_life(*each), Layer::running, true});
  }
  draft.title = title_of(links, managers);
  return draft;
}

}  // namespace

std::vector<const Resource*> live_resources(
    const Candidates& candidates,
    const ResourceIndex& resources,
    const discovery::Snapshot& snapshot) {
  const Adapters converts = converted(candidates);
  const TakenAway undone{candidates};
  std::vector<const Resource*> live;
  for (std::size_t index = 0; index < resources.size(); ++index) {
    const Resource& port = resources.at(index);
    if (is_manager(port) && is_wanted_to_manage(port) && !undone.goes(port.address) &&
        is_alive(port, snapshot))
      live.push_back(&port);
    if (port.address.kind != kinds::kCarrier || !is_alive(port, snapshot)) continue;
    const Value binding{port.binding};
    if (undone.may_end(port.address.node.str()) ||
        undone.may_end(binding.string_or_empty(keys::kOtherNode)))
      continue;
    const bool is_converted =
        converts.contains({port.address.node.str(), binding.string_or_empty(keys::kOwnAdapter)}) ||
        converts.contains(
            {binding.string_or_empty(keys::kOtherNode),
             binding.string_or_empty(keys::kOtherAdapter)});
    if (!is_converted) live.push_back(&port);
  }
  return live;
}

std::map<NodeName, Vertex> add_gates(
    const std::vector<const Resource*>& live, Duration patience, GateGraph graph) {
  std::map<NodeName, std::vector<const Resource*>> ports_of;
  for (const Resource* port : live) {
    if (graph.disturbing.contains(port->address.node)) ports_of[port->address.node].push_back(port);
  }
  std::map<NodeName, Vertex> gates;
  for (const auto& [node, ports] : ports_of) {
    const std::uint32_t wave = graph.wave_of.at(node);
    Action action{.node = node, .wave = wave};
    action.draft = gate(ports, patience);
    const Vertex vertex = graph.actions.size();
    graph.actions.push_back(std::move(action));
    gates.emplace(node, vertex);
    for (const Vertex before : graph.disturbing.at(node))
      graph.needs.emplace(before, vertex);
    // Work that is done apart from its node may come later.
    for (const Vertex before : graph.of_node.at(node))
      if (graph.actions[before].wave <= wave) graph.after.emplace(before, vertex);
    for (const Resource* port : ports) {
      const Result<NodeName> other =
          NodeName::parse(Value{port->binding}.string_or_empty(keys::kOtherNode));
      const auto disturbing = other ? graph.disturbing.find(*other) : graph.disturbing.end();
      if (disturbing == graph.disturbing.end() || graph.wave_of.at(*other) != wave) continue;
      for (const Vertex before : disturbing->second)
        graph.after.emplace(before, vertex);
    }
  }
  return gates;
}

}  // namespace fabric::plans
