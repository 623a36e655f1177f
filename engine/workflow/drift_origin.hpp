// SPDX-License-Identifier: Apache-2.0
// Who made a value what it is: judged by what fabric has set and by the files that it owns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plans/plan.hpp"

namespace fabric::workflow {

enum class Origin : std::uint8_t {
  fabric,   // as fabric left it: not in force yet, or the document asks for something else by now
  outside,  // fabric brought it to what the document says, and somebody else changed it since
  both,     // somebody changed it, and the document asks for another value than fabric had set
  unknown   // nothing of ours tells
};
std::string_view to_string(Origin origin);  // "outside"

// What of ours tells of one attribute.
struct OriginEvidence {
  std::optional<Value> set;  // what fabric set last; null = it removed it
  std::string by;            // what says so: "run 20261120T101227Z-3f9c", "the record on the node"
  bool staged = false;       // that run activated nothing
  std::vector<std::string> files;  // of ours on the node, which ask for the attribute
};

struct OriginVerdict {
  Origin origin = Origin::unknown;
  std::string evidence;  // what tells, or why nothing does
};

OriginVerdict judge_origin(const plans::PlannedChange& planned, const OriginEvidence& evidence);

// The layer that lasts: what the next boot will have, else what runs. Null without any.
const Reading* stored_reading(const LayeredReading& observed);
// `set` null: it is absent.
bool was_set_to(const Reading& reading, const Value& set);
// For messages: long ones are not told.
std::string value_text(const Value& value);
std::string value_text(const Reading& reading);

}  // namespace fabric::workflow
