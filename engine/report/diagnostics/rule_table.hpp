// SPDX-License-Identifier: Apache-2.0
// Every rule of which fabric can report a finding, put together from the layers that report them.
#pragma once

#include <string_view>
#include <vector>

#include "engine/model/rule.hpp"

namespace fabric {

// In order of slug.
const std::vector<RuleInfo>& rule_table();
const RuleInfo* find_rule(std::string_view slug);  // null: no such rule

}  // namespace fabric
