#include "plans/differ.hpp"

#include <algorithm>
#include <optional>

#include "engine/platform/orphan.hpp"
#include "engine/platform/support.hpp"

namespace fabric::plans {

namespace {

bool is_unknown(const std::optional<Reading>& reading) {
  return reading && reading->is_unknown();
}

bool is_wrong(const std::optional<Reading>& reading, const Value& desired) {
  return reading && !reading->equals(desired);
}

// Nobody but the layer itself can tell what it holds, with one exception: what is running can be
// made known by a boot, if what the next boot will use is known.
bool can_not_be_judged(const LayeredReading& observed) {
  if (is_unknown(observed.next_boot) || is_unknown(observed.persistent)) return true;
  if (is_unknown(observed.running)) return !observed.next_boot;
  return !observed.running && !observed.next_boot && !observed.persistent;
}

struct Judgement {
  AttributeChange change;
  bool differs = false;
  bool unknown = false;
};

// It shall not be there: what runs without a file to make it is nobody's, and goes with the file.
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

// What is observed of one resource, or why nothing is.
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
        "no provider does " + missing_features(resource, registry).front()->written + " yet",
        nullptr};
  }
  const auto found = node->second.observations.find(resource.address);
  if (found == node->second.observations.end()) return {nullptr, "it was not observed", nullptr};
  return {&found->second, {}, &node->second.facts};
}

LayeredReading observed_of(const Evidence& evidence, const std::string& attribute) {
  if (evidence.observation == nullptr) return all_unknown(evidence.missing);
  const auto found = evidence.observation->attributes.find(attribute);
  if (found == evidence.observation->attributes.end()) return all_unknown("it was not observed");
  return found->second;
}

std::optional<Change> change_of(
    const Resource& resource, const Evidence& evidence, const Provider* provider) {
  Change change{resource, ChangeKind::update, {}};
  bool unknown = false;
  for (const auto& [name, desired] : resource.desired) {
    Judgement judgement = judge(name, desired, observed_of(evidence, name));
    if (!judgement.differs) continue;
    unknown = unknown || judgement.unknown;
    const bool known = !judgement.unknown && evidence.facts != nullptr;
    if (judgement.change.activate && known && provider != nullptr)
      judgement.change.disruption = provider->disruption(*evidence.facts, resource, name);
    change.attributes.push_back(std::move(judgement.change));
  }
  if (change.attributes.empty()) return std::nullopt;
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
  std::vector<Change> changes;
  for (const Resource& resource : resources) {
    if (resource.check_only) continue;
    std::optional<Change> change =
        change_of(resource, evidence_of(resource, snapshot, registry), registry.find(resource));
    if (change) changes.push_back(*std::move(change));
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.resource.address < b.resource.address;
  });
  return changes;
}

}  // namespace fabric::plans
