// Rules: what can be known to be wrong at the desk. A rule is a slug, a reason with its evidence,
// and a pure function over the spec; rules_<subject>.cpp hold the functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

// When a finding can be made. Rules of the first two stages have fixtures in tests/golden/validate.
enum class RuleStage : std::uint8_t {
  reader,    // YAML, schema, decoding
  document,  // check_rules
  plan,      // needs what the nodes tell
  verify     // needs the running fabric
};
std::string_view to_string(RuleStage stage);

struct RuleInfo {
  std::string_view slug;
  Severity severity;          // the usual one; some rules warn in milder cases
  RuleStage stage;            // the earliest; some look again when facts are there
  std::string_view reason;    // why it exists, one or two sentences
  std::string_view evidence;  // the manual, standard, thread or kernel document that says so
  std::string_view fix;       // what to do
};

// Every slug that fabric can print, in order of slug, also those of the reader and of plan time.
const std::vector<RuleInfo>& rule_table();
const RuleInfo* find_rule(std::string_view slug);

// All rules that need the document alone.
void check_rules(const FabricSpec& spec, Diagnostics& diagnostics);

}  // namespace fabric
