// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/action/conditions.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/platform/host_platform.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric::execute {

std::string Mismatch::text() const {
  return fmt::format(
      "{} {} ({}): expected {}, found {}",
      condition.address.str(),
      condition.attribute,
      to_string(condition.layer),
      condition.equals.is_null() ? std::string{"absent"} : to_text(condition.equals),
      found);
}

ConditionJudge::ConditionJudge(const std::vector<Resource>& resources, const Registry& registry)
    : registry_{registry} {
  for (const Resource& resource : resources) {
    resources_[{resource.address.node, resource.address.kind}].push_back(&resource);
  }
}

std::vector<Probe> ConditionJudge::probes_for(
    Platform platform, const std::vector<Condition>& conditions) const {
  std::set<std::string> kinds;
  for (const Condition& condition : conditions)
    kinds.insert(condition.address.kind);
  std::vector<Probe> probes = registry_.probes(platform, {kinds.begin(), kinds.end()});
  const Probe identity = host(platform).identity_probe();
  const bool has_identity =
      std::ranges::any_of(probes, [&](const Probe& probe) { return probe.id == identity.id; });
  if (!has_identity) probes.push_back(identity);
  return probes;
}

namespace {

// Null = it holds.
std::optional<Mismatch> mismatch_of(
    const Condition& condition, const Observation* observation, Platform platform) {
  const auto unknown = [&condition](const char* why) {
    return Mismatch{condition, why, true};
  };
  if (observation == nullptr) return unknown("unknown (it was not observed)");
  const auto attribute = observation->attributes.find(condition.attribute);
  if (attribute == observation->attributes.end()) return unknown("unknown (it was not observed)");
  const std::optional<Reading>& reading = attribute->second.layer(condition.layer);
  if (!reading) return unknown("unknown (there is no such layer)");
  if (holds(condition, *reading, platform)) return std::nullopt;
  return Mismatch{condition, reading->text(), reading->is_unknown()};
}

}  // namespace

std::vector<Mismatch> ConditionJudge::mismatches(
    const std::vector<Condition>& conditions, const NodeFacts& facts) const {
  std::map<ResourceAddress, Observation> observations;
  std::set<Group> groups;
  for (const Condition& condition : conditions) {
    groups.emplace(condition.address.node, condition.address.kind);
  }
  for (const Group& group : groups) {
    const auto wanted = resources_.find(group);
    const Provider* provider = registry_.find(facts.platform, group.second);
    if (wanted == resources_.end() || provider == nullptr || group.first != facts.node) continue;
    std::vector<Resource> resources;
    for (const Resource* resource : wanted->second)
      resources.push_back(*resource);
    Diagnostics ignored;  // a finding makes its reading unknown, and that is what counts here
    for (Observation& observation : provider->observe(resources, facts, ignored)) {
      ResourceAddress address = observation.address;
      observations.emplace(std::move(address), std::move(observation));
    }
  }
  std::vector<Mismatch> unmet;
  for (const Condition& condition : conditions) {
    const auto observed = observations.find(condition.address);
    const bool is_there = observed != observations.end();
    auto mismatch = mismatch_of(condition, is_there ? &observed->second : nullptr, facts.platform);
    if (mismatch) unmet.push_back(*std::move(mismatch));
  }
  return unmet;
}

std::vector<Mismatch> ConditionJudge::stale(
    const ActionDraft& draft, const NodeFacts& facts) const {
  std::vector<Mismatch> unmet = mismatches(draft.preconditions, facts);
  if (unmet.empty()) return unmet;
  const std::vector<Mismatch> missing = mismatches(draft.postconditions, facts);
  const auto is_missing = [&missing](const Condition& condition) {
    return std::ranges::any_of(missing, [&condition](const Mismatch& mismatch) {
      return mismatch.condition == condition;
    });
  };
  std::erase_if(unmet, [&](const Mismatch& mismatch) {
    if (mismatch.condition.layer != Layer::persistent) return false;
    const auto wanted = std::ranges::find_if(draft.postconditions, [&](const Condition& condition) {
      return condition.address == mismatch.condition.address &&
             condition.attribute == mismatch.condition.attribute &&
             condition.layer == mismatch.condition.layer;
    });
    return wanted != draft.postconditions.end() && !is_missing(*wanted);
  });
  return unmet;
}

std::vector<Condition> former_values(const plans::Plan& plan, const plans::Action& action) {
  std::vector<Condition> former;
  if (action.draft.kind == methods::kReboot) return former;
  for (Condition condition : action.draft.postconditions) {
    if (condition.layer != Layer::running) continue;
    const auto change =
        std::ranges::find_if(plan.changes, [&condition](const plans::PlannedChange& each) {
          return each.address == condition.address &&
                 each.attribute.attribute == condition.attribute && each.attribute.observed.running;
        });
    if (change != plan.changes.end()) {
      const Reading& running = *change->attribute.observed.running;
      if (running.is_unknown()) continue;
      condition.equals = running.value() == nullptr ? Value{} : *running.value();
    }
    former.push_back(std::move(condition));
  }
  if (action.draft.stage != Stage::activate) return former;
  for (const plans::PlannedChange& change : plan.changes) {
    const auto& running = change.attribute.observed.running;
    const bool removed = change.kind == ChangeKind::remove && running && running->is_known();
    const Condition ran{
        change.address,
        change.attribute.attribute,
        Layer::running,
        removed ? *running->value() : Value{}};
    const auto& covers = action.covers;
    if (!removed || std::ranges::find(covers, change.address) == covers.end()) continue;
    if (std::ranges::find(former, ran) == former.end()) former.push_back(ran);
  }
  return former;
}

std::vector<Condition> former_files(const plans::Plan& plan, const plans::Action& action) {
  std::vector<Condition> former;
  const ActionDraft& draft = action.draft;
  if (!draft.undo.changes_files()) return former;
  for (const plans::PlannedChange& change : plan.changes) {
    const auto& said = change.attribute.observed.persistent;
    const auto& covers = action.covers;
    const bool is_covered = std::ranges::find(covers, change.address) != covers.end();
    if (!is_covered || !said || said->is_unknown()) continue;
    former.push_back(
        {change.address,
         change.attribute.attribute,
         Layer::persistent,
         said->value() == nullptr ? Value{} : *said->value()});
  }
  return former;
}

bool is_left_to_do(
    const plans::Plan& plan,
    const std::vector<Resource>& resources,
    const Registry& registry,
    const discovery::Snapshot& snapshot) {
  const ConditionJudge judge{resources, registry};
  std::set<ResourceAddress> there;
  for (const plans::Action& action : plan.actions) {
    const std::vector<Condition>& wanted = action.draft.postconditions;
    if (wanted.empty()) continue;
    const auto node = snapshot.nodes.find(action.node);
    if (node == snapshot.nodes.end() || !node->second.facts.reachable()) return true;
    if (!judge.mismatches(wanted, node->second.facts).empty()) return true;
    there.insert(action.covers.begin(), action.covers.end());
  }
  // An action without a readable effect, as a hook or a step on the way, is done with the actions
  // that it is for.
  return std::ranges::any_of(plan.actions, [&there](const auto& action) {
    return std::ranges::any_of(
        action.covers, [&there](const auto& address) { return !there.contains(address); });
  });
}

}  // namespace fabric::execute
