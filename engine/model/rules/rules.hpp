// SPDX-License-Identifier: Apache-2.0
// Rules: what can be known to be wrong at the desk. A rule is a slug, a row with its reason,
// evidence and fix, and a pure function over the spec; both stand in the file of the rule's
// subject: chain.cpp, chain_adapters.cpp, lag.cpp, partitions.cpp, ... The subjects are listed in
// rules.cpp.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/rule.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

// The rows of all subjects, those that need facts (facts.hpp) too.
std::vector<RuleInfo> document_rules();

// All rules that need the document alone.
void check_rules(const FabricSpec& spec, Diagnostics& diagnostics);

}  // namespace fabric
