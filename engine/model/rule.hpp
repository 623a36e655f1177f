// SPDX-License-Identifier: Apache-2.0
// The texts of a rule, for every layer that checks it. Each layer that reports findings has
// the rows of its rules beside the code that reports them; engine/report/diagnostics/rule_table.hpp
// puts all rows together.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/base/diagnostic.hpp"

namespace fabric {

// When a finding can be made. Rules of the first two stages have fixtures in tests/golden/validate.
enum class RuleStage : std::uint8_t {
  reader,    // YAML, schema, decoding
  document,  // check_rules
  plan,      // needs the facts of the nodes
  verify     // needs the running fabric
};
std::string_view to_string(RuleStage stage);

struct RuleInfo {
  std::string_view slug;
  Severity severity;          // the usual severity; some rules warn in milder cases
  RuleStage stage;            // the earliest stage; some rules run again with facts
  std::string_view reason;    // why the rule exists, one or two sentences
  std::string_view evidence;  // ids of docs/evidence.md, each with its source
  std::string_view fix;       // the cure
};

// The rows of one subject, in no particular order. They live as long as the program.
using RuleRows = std::span<const RuleInfo>;

}  // namespace fabric
