// SPDX-License-Identifier: Apache-2.0
// Rules: errors that can be found in the document without any node. A rule is a slug, a row with
// its reason, evidence and fix, and a pure function over the spec; both stand in the file of the
// rule's subject: chain.cpp, chain_adapters.cpp, lag.cpp, partitions.cpp, ... The subjects are
// listed in rules.cpp.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/rule.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

// The rows of all subjects, also of rules that need facts (facts.hpp).
std::vector<RuleInfo> document_rules();

// Checks all rules that need only the document.
void check_rules(const FabricSpec& spec, Diagnostics& diagnostics);

}  // namespace fabric
