// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/drift.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/platform/owned_file.hpp"

namespace fabric::workflow {

namespace {

OriginVerdict changed_twice(const OriginEvidence& evidence) {
  return {
      Origin::both,
      fmt::format(
          "{} set {}, and the document has changed since", evidence.by, value_text(*evidence.set))};
}

// The stored value is as desired, and the running one is not.
OriginVerdict judge_not_in_force(const AttributeChange& change, const OriginEvidence& evidence) {
  const bool by_boot = change.disruption >= Disruption::reboot;
  if (evidence.set && *evidence.set != change.desired) return changed_twice(evidence);
  if (evidence.set) {
    if (by_boot || evidence.staged) {
      return {
          Origin::fabric,
          fmt::format("{} set it, and the next boot puts it in force", evidence.by)};
    }
    return {
        Origin::outside, fmt::format("{} put {} in force", evidence.by, value_text(*evidence.set))};
  }
  if (evidence.files.empty()) return {Origin::unknown, "no record shows what set this value"};
  const std::string& file = evidence.files.front();
  if (by_boot) return {Origin::fabric, fmt::format("{} sets this value at the next boot", file)};
  return {
      Origin::unknown,
      fmt::format(
          "{} sets this value; no run from this machine shows whether it was ever in force", file)};
}

OriginVerdict judge_by_value(
    const AttributeChange& change, const Reading& now, const OriginEvidence& evidence) {
  if (!evidence.set) {
    if (evidence.files.empty()) return {Origin::unknown, "no record shows what set this value"};
    return {
        Origin::unknown,
        fmt::format(
            "{}, which fabric wrote, was edited, or the document was: no run from this machine "
            "shows the value that fabric had set",
            evidence.files.front())};
  }
  const Value& set = *evidence.set;
  if (set == change.desired)
    return {Origin::outside, fmt::format("{} set {}", evidence.by, value_text(set))};
  if (was_set_to(now, set)) {
    return {Origin::fabric, fmt::format("{} set it; the document has changed since", evidence.by)};
  }
  return changed_twice(evidence);
}

}  // namespace

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::fabric:
      return "fabric";
    case Origin::outside:
      return "outside";
    case Origin::both:
      return "both";
    case Origin::unknown:
      return "unknown";
  }
  FABRIC_CHECK(false, "an origin without a name");
}

const Reading* stored_reading(const LayeredReading& observed) {
  for (const std::optional<Reading>* layer :
       {&observed.next_boot, &observed.persistent, &observed.running}) {
    if (*layer) return &**layer;
  }
  return nullptr;
}

bool was_set_to(const Reading& reading, const Value& set) {
  return set.is_null() ? reading.is_absent() : reading.equals(set);
}

std::string value_text(const Value& value) {
  constexpr std::size_t kMost = 60;
  if (value.is_null()) return "nothing";
  const std::string text = to_text(value);
  return text.size() <= kMost ? text : "another value";
}

std::string value_text(const Reading& reading) {
  return reading.value() == nullptr ? reading.text() : value_text(*reading.value());
}

OriginVerdict judge_origin(const plans::PlannedChange& planned, const OriginEvidence& evidence) {
  const AttributeChange& change = planned.attribute;
  const Reading* now = stored_reading(change.observed);
  if (planned.kind == ChangeKind::unknown || now == nullptr || now->is_unknown()) {
    const std::string why = now == nullptr ? std::string{} : now->why();
    return {
        Origin::unknown,
        why.empty() ? "the value there could not be read"
                    : fmt::format("the value there could not be read: {}", why)};
  }
  if (planned.kind == ChangeKind::remove || change.desired.is_null()) {
    // Only files of fabric make an orphan (decision 004).
    return {
        Origin::fabric,
        evidence.files.empty() ? "made by fabric; the document no longer asks for it"
                               : fmt::format(
                                     "made by fabric ({}); the document no longer asks for it",
                                     evidence.files.front())};
  }
  if (now->equals(change.desired)) return judge_not_in_force(change, evidence);
  return judge_by_value(change, *now, evidence);
}

namespace {

constexpr RuleInfo kDriftRules[] = {
    {"drift",
     Severity::warning,
     RuleStage::plan,
     "A node differs from the document. `plan --refresh-only` shows the differences, and their "
     "causes as far as records show them.",
     "E-drift: Terraform's refresh-only plan",
     "Apply the document, or change it to match the node."},
};

// The paths of fabric's files on a node, by the resource and attribute that they ask for.
using OwnedFiles = std::map<std::pair<ResourceAddress, std::string>, std::vector<std::string>>;

OwnedFiles owned_files(const NodeFacts& facts) {
  OwnedFiles owned;
  for (const auto& [id, output] : facts.probes) {
    for (const auto& [path, text] : file_texts(output.standard_output)) {
      const std::optional<Resource> resource = owned_resource(facts.node, text);
      if (!resource) continue;
      for (const auto& [attribute, desired] : resource->desired) {
        std::vector<std::string>& paths = owned[{resource->address, attribute}];
        // Two probes may read the same file.
        if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
      }
    }
  }
  return owned;
}

bool waits_for_boot(const AttributeChange& change) {
  const LayeredReading& observed = change.observed;
  const auto& running = observed.running;
  if (observed.next_boot && observed.next_boot->is_known())
    return running && *running != *observed.next_boot;
  return change.activate && change.disruption >= Disruption::reboot && observed.persistent &&
         observed.persistent->equals(change.desired);
}

class DriftFinder {
 public:
  DriftFinder(const Desired& desired, const Planned& planned, const RunHistory& history)
      : registry_{desired.registry}, planned_{planned}, history_{history} {
    for (Resource& resource : planned_resources(desired, planned.plan))
      resources_.emplace(resource.address, std::move(resource));
  }

  Drift find() const {
    Drift drift;
    for (const auto& [name, node] : planned_.snapshot.nodes) {
      if (node.facts.reachable()) add_node(node.facts, drift.differences);
    }
    for (const auto& [address, resource] : resources_) {
      const auto node = planned_.snapshot.nodes.find(address.node);
      if (node != planned_.snapshot.nodes.end() && node->second.facts.reachable())
        add_undeclared(resource, node->second.facts, drift.differences);
    }
    std::ranges::sort(drift.differences, [](const Difference& a, const Difference& b) {
      return std::tie(a.change.address, a.change.attribute.attribute) <
             std::tie(b.change.address, b.change.attribute.attribute);
    });
    return drift;
  }

 private:
  using Recorded = std::map<std::string, Value, std::less<>>;

  void add_node(const NodeFacts& facts, std::vector<Difference>& differences) const {
    std::optional<OwnedFiles> owned;  // taken apart where something differs
    const auto first = std::lower_bound(
        planned_.plan.changes.begin(),
        planned_.plan.changes.end(),
        facts.node,
        [](const plans::PlannedChange& change, const NodeName& node) {
          return change.address.node < node;
        });
    for (auto change = first;
         change != planned_.plan.changes.end() && change->address.node == facts.node;
         ++change) {
      if (!owned) owned = owned_files(facts);
      differences.push_back(judged(*change, facts, *owned));
    }
  }

  Recorded recorded(const Resource& resource, const NodeFacts& facts) const {
    const Provider* provider = registry_.find(resource);
    return provider == nullptr ? Recorded{} : provider->recorded(resource, facts);
  }

  OriginEvidence evidence_of(
      const ResourceAddress& address, const std::string& attribute, const Recorded& records) const {
    OriginEvidence evidence;
    // The record on the node is of every run, whatever machine started it.
    if (const auto record = records.find(attribute); record != records.end()) {
      evidence.set = record->second;
      evidence.by = "the record on the node";
    } else if (const LastSet* last = history_.find(address, attribute)) {
      evidence.set = last->value;
      evidence.by = "run " + last->run;
      evidence.staged = last->staged;
    }
    return evidence;
  }

  Difference judged(
      const plans::PlannedChange& change, const NodeFacts& facts, const OwnedFiles& owned) const {
    const auto resource = resources_.find(change.address);
    OriginEvidence evidence = evidence_of(
        change.address,
        change.attribute.attribute,
        resource == resources_.end() ? Recorded{} : recorded(resource->second, facts));
    if (const auto files = owned.find({change.address, change.attribute.attribute});
        files != owned.end())
      evidence.files = files->second;
    OriginVerdict verdict = judge_origin(change, evidence);
    return {
        change,
        verdict.origin,
        std::move(verdict.evidence),
        waits_for_boot(change.attribute),
        true,
        std::move(evidence.files)};
  }

  void add_undeclared(
      const Resource& resource,
      const NodeFacts& facts,
      std::vector<Difference>& differences) const {
    const Provider* provider = registry_.find(resource);
    if (provider == nullptr) return;
    for (auto& [attribute, observed] : provider->waiting(resource, facts)) {
      Difference found{.change = {.address = resource.address}, .evidence = {}};
      found.change.attribute.attribute = attribute;
      found.change.attribute.observed = std::move(observed);
      found.change.attribute.disruption = Disruption::reboot;
      found.waits_for_boot = true;
      found.declared = false;
      const LastSet* last = history_.find(resource.address, attribute);
      const Reading* next = stored_reading(found.change.attribute.observed);
      if (last != nullptr && next != nullptr && was_set_to(*next, last->value)) {
        found.origin = Origin::fabric;
        found.evidence = fmt::format("run {} set it; the document has changed since", last->run);
      } else if (last != nullptr) {
        found.origin = Origin::outside;
        found.evidence = fmt::format("run {} set {}", last->run, value_text(last->value));
      } else {
        found.evidence = "no record shows what set this value";
      }
      differences.push_back(std::move(found));
    }
  }

  const Registry& registry_;
  const Planned& planned_;
  const RunHistory& history_;
  std::map<ResourceAddress, Resource> resources_;
};

std::string_view words_of(const Difference& difference) {
  switch (difference.origin) {
    case Origin::fabric:
      return "as fabric left it";
    case Origin::outside:
      return "changed outside of fabric";
    case Origin::both:
      return "changed outside of fabric, and in the document";
    case Origin::unknown:
      return "origin unknown";
  }
  FABRIC_CHECK(false, "an origin without words");
}

}  // namespace

std::size_t Drift::count(Origin origin) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(differences, [&](const Difference& difference) {
        return difference.declared && difference.origin == origin;
      }));
}

std::size_t Drift::waiting() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      differences, [](const Difference& difference) { return difference.waits_for_boot; }));
}

Drift find_drift(const Desired& desired, const Planned& planned, const RunHistory& history) {
  return DriftFinder{desired, planned, history}.find();
}

Diagnostics drift_findings(const Drift& drift) {
  Diagnostics findings;
  for (const Difference& difference : drift.differences) {
    const AttributeChange& attribute = difference.change.attribute;
    const About about{findings, difference.change.address.node};
    const Reading* now = stored_reading(attribute.observed);
    std::string message =
        fmt::format("{} {} ", difference.change.address.str(), attribute.attribute);
    if (!difference.declared) {
      message += fmt::format(
          "will be {} after the next boot, and no line of the document asks for that",
          now == nullptr ? "unknown" : value_text(*now));
    } else {
      // The stored value may be right; then the running one differs.
      const bool runs = now != nullptr && now->equals(attribute.desired) &&
                        attribute.observed.running.has_value();
      const Reading* told = runs ? &*attribute.observed.running : now;
      message += fmt::format(
          "is {}, but the document says {}",
          told == nullptr ? "unknown" : value_text(*told),
          value_text(attribute.desired));
    }
    message += fmt::format("; {}: {}", words_of(difference), difference.evidence);
    if (difference.declared && difference.origin != Origin::fabric) {
      findings.warning("drift", attribute.source, std::move(message));
    } else {
      findings.info("drift", attribute.source, std::move(message));
    }
  }
  findings.sort();
  return findings;
}

RuleRows drift_rules() {
  return kDriftRules;
}

}  // namespace fabric::workflow
