// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "engine/base/parallel.hpp"
#include "engine/provider/orphan.hpp"
#include "engine/provider/support.hpp"
#include "plans/changes/candidate.hpp"

namespace fabric::plans {

namespace {

bool is_unknown(const std::optional<Reading>& reading) {
  return reading && reading->is_unknown();
}

bool is_wrong(const std::optional<Reading>& reading, const Value& desired) {
  return reading && !reading->equals(desired);
}

// Only the layer itself can tell its value, with one exception: a boot makes the running value
// known if the value of the next boot is known.
bool can_not_be_judged(const LayeredReading& observed) {
  if (observed.is_left_alone) return false;
  if (is_unknown(observed.next_boot) || is_unknown(observed.persistent)) return true;
  if (is_unknown(observed.running)) return !observed.next_boot;
  return !observed.running && !observed.next_boot && !observed.persistent;
}

struct Judgement {
  AttributeChange change;
  bool differs = false;
  bool unknown = false;
};

// The resource must be absent. A running value without a file is removed with the resource.
Judgement judge_orphan(Judgement judgement) {
  AttributeChange& change = judgement.change;
  const auto is_there = [](const std::optional<Reading>& reading) {
    return reading && !reading->is_absent();
  };
  const LayeredReading& observed = change.observed;
  change.write = is_there(observed.next_boot) || is_there(observed.persistent);
  change.activate = change.write && is_there(observed.running);
  judgement.unknown = is_unknown(observed.next_boot) || is_unknown(observed.persistent);
  judgement.differs = change.write;
  return judgement;
}

Judgement judge(
    const std::string& attribute, const DesiredAttribute& desired, const LayeredReading& observed) {
  Judgement judgement;
  AttributeChange& change = judgement.change;
  change.attribute = attribute;
  change.observed = observed;
  change.desired = desired.value;
  change.source = desired.source;
  change.reason = desired.reason;
  if (desired.value.is_null()) return judge_orphan(std::move(judgement));
  change.write =
      is_wrong(observed.next_boot, desired.value) || is_wrong(observed.persistent, desired.value);
  change.activate = is_wrong(observed.running, desired.value);
  judgement.unknown = can_not_be_judged(observed);
  judgement.differs = judgement.unknown || change.write || change.activate;
  return judgement;
}

LayeredReading all_unknown(const std::string& why) {
  LayeredReading reading;
  reading.running = Reading::unknown(why);
  return reading;
}

bool layer_is_absent(const std::optional<Reading>& reading) {
  return !reading || reading->is_absent();
}

bool is_absent(const AttributeChange& change) {
  return layer_is_absent(change.observed.running) && layer_is_absent(change.observed.next_boot) &&
         layer_is_absent(change.observed.persistent);
}

// The observations of one resource, or the reason why there are none.
struct Evidence {
  const Observation* observation = nullptr;
  std::string missing;
  const NodeFacts* facts = nullptr;
};

Evidence evidence_of(
    const Resource& resource, const discovery::Snapshot& snapshot, const Registry& registry) {
  const auto node = snapshot.nodes.find(resource.address.node);
  if (node == snapshot.nodes.end()) return {nullptr, "the node was not asked", nullptr};
  if (const auto& failure = node->second.facts.failure) return {nullptr, failure->message, nullptr};
  if (registry.find(resource) == nullptr) {
    return {nullptr, "no provider for the kind '" + resource.address.kind + "'", nullptr};
  }
  if (!is_observable(resource, registry)) {
    return {
        nullptr,
        missing_features(resource, registry).front()->written + " is not done on this platform",
        nullptr};
  }
  const auto found = node->second.observations.find(resource.address);
  if (found == node->second.observations.end()) return {nullptr, "it was not observed", nullptr};
  return {&found->second, {}, &node->second.facts};
}

// Null if it was not observed.
const LayeredReading* observed_of(const Evidence& evidence, const std::string& attribute) {
  if (evidence.observation == nullptr) return nullptr;
  const auto found = evidence.observation->attributes.find(attribute);
  return found == evidence.observation->attributes.end() ? nullptr : &found->second;
}

// Nearly every attribute of a converged fabric takes this branch.
bool is_as_desired(const DesiredAttribute& desired, const LayeredReading& observed) {
  return !desired.value.is_null() && !can_not_be_judged(observed) &&
         !is_wrong(observed.next_boot, desired.value) &&
         !is_wrong(observed.persistent, desired.value) &&
         !is_wrong(observed.running, desired.value);
}

std::optional<Change> change_of(
    const Resource& resource, const Evidence& evidence, const Provider* provider) {
  std::vector<AttributeChange> attributes;
  bool unknown = false;
  for (const auto& [name, desired] : resource.desired) {
    const LayeredReading* observed = observed_of(evidence, name);
    if (observed != nullptr && is_as_desired(desired, *observed)) continue;
    Judgement judgement = judge(
        name,
        desired,
        observed != nullptr
            ? *observed
            : all_unknown(
                  evidence.observation == nullptr ? evidence.missing : "it was not observed"));
    if (!judgement.differs) continue;
    unknown = unknown || judgement.unknown;
    const bool known = !judgement.unknown && evidence.facts != nullptr;
    if (judgement.change.activate && known && provider != nullptr)
      judgement.change.disruption = provider->disruption(*evidence.facts, resource, name);
    attributes.push_back(std::move(judgement.change));
  }
  if (attributes.empty()) return std::nullopt;
  Change change{resource, ChangeKind::update, std::move(attributes)};
  if (unknown) {
    change.kind = ChangeKind::unknown;
  } else if (is_orphan(resource)) {
    change.kind = ChangeKind::remove;
  } else if (
      change.attributes.size() == resource.desired.size() &&
      std::all_of(change.attributes.begin(), change.attributes.end(), is_absent)) {
    change.kind = ChangeKind::add;
  }
  return change;
}

}  // namespace

std::vector<Change> diff(
    const std::vector<Resource>& resources,
    const discovery::Snapshot& snapshot,
    const Registry& registry) {
  std::vector<std::optional<Change>> found(resources.size());
  for_each_index(resources.size(), [&](std::size_t index) {
    const Resource& resource = resources[index];
    if (resource.check_only) return;
    found[index] =
        change_of(resource, evidence_of(resource, snapshot, registry), registry.find(resource));
  });
  std::vector<Change> changes;
  for (std::optional<Change>& change : found) {
    if (change) changes.push_back(*std::move(change));
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.resource.address < b.resource.address;
  });
  return changes;
}

}  // namespace fabric::plans
