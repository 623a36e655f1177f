// SPDX-License-Identifier: Apache-2.0
// Drift: how nodes differ from the document, and the cause, as far as our own records show it:
// the records and marked files on the nodes, and the journals of the runs here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/rule.hpp"
#include "engine/workflow/planning.hpp"
#include "engine/workflow/run_history.hpp"
#include "plans/plan.hpp"

namespace fabric::workflow {

// The origin of a value: judged by what fabric has set and by the files that it owns.
enum class Origin : std::uint8_t {
  fabric,   // as fabric left it: not in force yet, or the document has changed since
  outside,  // fabric set the value of the document, and it was changed on the node since
  both,  // it was changed on the node, and the document asks for another value than fabric had set
  unknown  // no record shows it
};
std::string_view to_string(Origin origin);  // "outside"

// The records of fabric about one attribute.
struct OriginEvidence {
  std::optional<Value> set;  // the value that fabric set last; null = it removed the value
  std::string by;            // the record: "run 20261120T101227Z-3f9c", "the record on the node"
  bool staged = false;       // that run activated nothing
  std::vector<std::string> files;  // fabric's files on the node that ask for the attribute
};

struct OriginVerdict {
  Origin origin = Origin::unknown;
  std::string evidence;  // the record that shows the origin, or why none does
};

OriginVerdict judge_origin(const plans::PlannedChange& planned, const OriginEvidence& evidence);

// The layer that lasts: the value for the next boot, else the running one. Null if there is none.
const Reading* stored_reading(const LayeredReading& observed);
// `set` null: it is absent.
bool was_set_to(const Reading& reading, const Value& set);
// For messages; a long value is left out.
std::string value_text(const Value& value);
std::string value_text(const Reading& reading);

struct Difference {
  plans::PlannedChange change;
  Origin origin = Origin::unknown;
  std::string evidence;  // the record that shows the origin, or why none does
  // The stored value differs from the running one: the next boot of the node activates it.
  bool waits_for_boot = false;
  // False: no line of the document asks for the attribute. Something else has set the value that
  // the next boot will activate.
  bool declared = true;
  std::vector<std::string> files{};  // fabric's files on the node that ask for the attribute
};

struct Drift {
  std::vector<Difference> differences;  // of reached nodes, sorted by address and attribute

  std::size_t count(Origin origin) const;  // attributes that the document declares
  std::size_t waiting() const;             // all attributes
};

// REQUIRES: `planned` was made from `desired`. Runs of another fabric in `history` are ignored.
Drift find_drift(const Desired& desired, const Planned& planned, const RunHistory& history);

// Each difference from the document is a warning, and a value as fabric left it is an information.
Diagnostics drift_findings(const Drift& drift);
RuleRows drift_rules();

}  // namespace fabric::workflow
