// SPDX-License-Identifier: Apache-2.0
// Every rule whose findings fabric can report, collected from all layers.
#pragma once

#include <string_view>
#include <vector>

#include "engine/model/rule.hpp"

namespace fabric {

// The rules in order of slug.
const std::vector<RuleInfo>& rule_table();
const RuleInfo* find_rule(std::string_view slug);  // null: no such rule

}  // namespace fabric
