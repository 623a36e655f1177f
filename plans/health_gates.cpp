// SPDX-License-Identifier: Apache-2.0
#include "plans/health_gates.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric::plans {

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
  const auto manages = manager.desired.find(kManages);
  return manages != manager.desired.end() && !manages->second.value.is_null();
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
    const bool converts =
        std::any_of(attributes.begin(), attributes.end(), [](const AttributeChange& each) {
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
      const bool ends = std::any_of(attributes.begin(), attributes.end(), [](const auto& each) {
        return each.desired.is_null();
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
