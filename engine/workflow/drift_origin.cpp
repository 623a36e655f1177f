// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/drift_origin.hpp"

#include <fmt/format.h>

#include "engine/base/check.hpp"

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

}  // namespace fabric::workflow
