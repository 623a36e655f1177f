// SPDX-License-Identifier: Apache-2.0
#include "plans/undo_stays.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace fabric::plans {

namespace {

Subject subject_of(const ResourceAddress& of, const InternedText& attribute, Layer layer) {
  return {of.node, fmt::format("{}/{}/{}/{}", of.kind, of.name, attribute, to_string(layer))};
}

}  // namespace

const LayeredReading* observed_of(
    const discovery::Snapshot& snapshot, const ResourceAddress& address, const InternedText& name) {
  const auto node = snapshot.nodes.find(address.node);
  if (node == snapshot.nodes.end() || !node->second.facts.reachable()) return nullptr;
  const auto observed = node->second.observations.find(address);
  if (observed == node->second.observations.end()) return nullptr;
  const auto found = observed->second.attributes.find(name.str());
  return found == observed->second.attributes.end() ? nullptr : &found->second;
}

void warn_of_stay(
    const Resource& resource,
    const InternedText& attribute,
    Layer layer,
    const std::string& what,
    Diagnostics& diagnostics) {
  const ResourceAddress& of = resource.address;
  const std::string place = fmt::format("{}: {}/{}", of.node.str(), of.kind, of.name);
  diagnostics
      .warning(
          "undo-stays",
          resource.origin,
          fmt::format("{}: {} ({}) {}", place, attribute, to_string(layer), what))
      .about(subject_of(of, attribute, layer));
}

void name_ended_by_boots(
    const UndoInputs& inputs, const std::set<NodeName>& reboots, Diagnostics& diagnostics) {
  for (const PlannedChange& change : inputs.undone.plan.changes) {
    const LayeredReading& then = change.attribute.observed;
    const bool differed = then.running && then.running->is_known() && then.next_boot &&
                          then.next_boot->is_known() && then.running != then.next_boot;
    if (!differed || change.withheld) continue;
    const LayeredReading* now =
        observed_of(inputs.snapshot, change.address, change.attribute.attribute);
    if (now == nullptr || !now->running || now->running->is_unknown()) continue;
    const bool has_ended = now->running != then.running;
    if (!has_ended && !reboots.contains(change.address.node)) continue;
    const auto resource = std::ranges::find_if(inputs.resources, [&change](const Resource& each) {
      return each.address == change.address;
    });
    if (resource == inputs.resources.end()) continue;
    warn_of_stay(
        *resource,
        change.attribute.attribute,
        Layer::running,
        fmt::format(
            "{} {}: {} was set for the next boot before the run, and {}",
            has_ended ? "does not become" : "does not stay",
            then.running->text(),
            then.next_boot->text(),
            has_ended ? "a boot has come since" : "this undo boots the node"),
        diagnostics);
  }
}

void name_unread(const UndoInputs& inputs, const Candidates& candidates, Diagnostics& diagnostics) {
  std::set<ResourceAddress> changed;
  for (const Candidate& each : candidates)
    if (each.change.by_record && !each.planned() && each.change.kind != ChangeKind::unknown)
      changed.insert(each.address());
  std::set<std::string> named;
  for (const Diagnostic& each : diagnostics.items())
    if (each.rule == "undo-stays") named.insert(each.subject.str());
  const auto is_named = [&named](const PlannedChange& change, Layer layer) {
    return named.contains(subject_of(change.address, change.attribute.attribute, layer).str());
  };
  for (const PlannedChange& change : inputs.undone.plan.changes)
    for (const Layer layer : kEveryLayer)
      if (is_named(change, layer)) changed.insert(change.address);
  std::map<ResourceAddress, std::pair<const Resource*, const ResourceAddress*>> shown;
  for (const Resource& resource : inputs.resources)
    for (const ResourceAddress& before : resource.after)
      if (changed.contains(before)) shown.emplace(resource.address, std::pair{&resource, &before});
  for (const PlannedChange& change : inputs.undone.plan.changes) {
    const auto found = shown.find(change.address);
    if (found == shown.end()) continue;
    const auto [resource, by] = found->second;
    const LayeredReading* now =
        observed_of(inputs.snapshot, change.address, change.attribute.attribute);
    for (const Layer layer : kEveryLayer) {
      const std::optional<Reading>& then = change.attribute.observed.layer(layer);
      const bool is_new = !then && now != nullptr && now->layer(layer);
      if ((!is_new && !(then && then->is_unknown())) || is_named(change, layer)) continue;
      warn_of_stay(
          *resource,
          change.attribute.attribute,
          layer,
          fmt::format(
              "has no former value: nothing showed it before the run, and {}/{} is not as before",
              by->kind,
              by->name),
          diagnostics);
    }
  }
}

}  // namespace fabric::plans
