// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/action/conditions.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/platform/host_platform.hpp"

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
  const bool has_identity = std::any_of(
      probes.begin(), probes.end(), [&](const Probe& probe) { return probe.id == identity.id; });
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
    return std::any_of(missing.begin(), missing.end(), [&condition](const Mismatch& mismatch) {
      return mismatch.condition == condition;
    });
  };
  std::erase_if(unmet, [&](const Mismatch& mismatch) {
    if (mismatch.condition.layer != Layer::persistent) return false;
    const auto wanted = std::find_if(
        draft.postconditions.begin(), draft.postconditions.end(), [&](const Condition& condition) {
          return condition.address == mismatch.condition.address &&
                 condition.attribute == mismatch.condition.attribute &&
                 condition.layer == mismatch.condition.layer;
        });
    return wanted != draft.postconditions.end() && !is_missing(*wanted);
  });
  return unmet;
}

}  // namespace fabric::execute
