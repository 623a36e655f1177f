#include "plans/health_gates.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::plans {

namespace {

constexpr const char* kCarrier = "carrier";

bool has_carrier(const Resource& port, const discovery::Snapshot& snapshot) {
  const auto node = snapshot.nodes.find(port.address.node);
  if (node == snapshot.nodes.end()) return false;
  const auto observed = node->second.observations.find(port.address);
  if (observed == node->second.observations.end()) return false;
  const auto carrier = observed->second.attributes.find(kCarrier);
  return carrier != observed->second.attributes.end() && carrier->second.running &&
         carrier->second.running->equals(true);
}

// (node, adapter) of which the plan changes what kind of link a port has.
using Adapters = std::set<std::pair<std::string, std::string>>;

Adapters converted(const Candidates& candidates) {
  Adapters adapters;
  for (const Candidate& candidate : candidates) {
    if (candidate.address().kind != "settings") continue;
    const auto& attributes = candidate.change.attributes;
    const bool converts =
        std::any_of(attributes.begin(), attributes.end(), [](const AttributeChange& each) {
          return each.attribute.starts_with("LINK_TYPE");
        });
    if (converts) adapters.emplace(candidate.address().node.str(), candidate.address().name);
  }
  return adapters;
}

ActionDraft gate(const std::vector<const Resource*>& ports, Duration patience) {
  ActionDraft draft;
  draft.kind = kHealthKind;
  draft.stage = Stage::activate;
  draft.timeout = patience;
  std::vector<std::string> links;
  for (const Resource* port : ports) {
    const Value binding{port->binding};
    links.push_back(
        fmt::format("{} to {}", port->address.name, binding.string_or_empty("other_end")));
    draft.postconditions.push_back({port->address, kCarrier, Layer::running, true});
  }
  draft.title = fmt::format(
      "see that the link{} {} {} up again",
      links.size() == 1 ? "" : "s",
      join(links, ", "),
      links.size() == 1 ? "is" : "are");
  return draft;
}

}  // namespace

std::vector<const Resource*> live_ports(
    const Candidates& candidates,
    const ResourceIndex& resources,
    const discovery::Snapshot& snapshot) {
  const Adapters converts = converted(candidates);
  std::vector<const Resource*> live;
  for (std::size_t index = 0; index < resources.size(); ++index) {
    const Resource& port = resources.at(index);
    if (port.address.kind != "carrier" || !has_carrier(port, snapshot)) continue;
    const Value binding{port.binding};
    const bool is_converted =
        converts.contains({port.address.node.str(), binding.string_or_empty("own_adapter")}) ||
        converts.contains(
            {binding.string_or_empty("other_node"), binding.string_or_empty("other_adapter")});
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
    for (const Vertex before : graph.of_node.at(node))
      graph.after.emplace(before, vertex);
    for (const Resource* port : ports) {
      const Result<NodeName> other =
          NodeName::parse(Value{port->binding}.string_or_empty("other_node"));
      const auto disturbing = other ? graph.disturbing.find(*other) : graph.disturbing.end();
      if (disturbing == graph.disturbing.end() || graph.wave_of.at(*other) != wave) continue;
      for (const Vertex before : disturbing->second)
        graph.after.emplace(before, vertex);
    }
  }
  return gates;
}

}  // namespace fabric::plans
