// SPDX-License-Identifier: Apache-2.0
// Explains a rule, and the origin of a value, for people.
#pragma once

#include <vector>

#include "engine/base/source.hpp"
#include "engine/model/document/provenance.hpp"
#include "engine/model/rule.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/value/value.hpp"

namespace fabric::report {

// Slug, reason, evidence and fix.
Text rule_text(const RuleInfo& rule, const Style& style);
Map rule_value(const RuleInfo& rule);

// A table of name, value, place and origin; what the paths have in common is its title.
Text provenance_text(
    const std::vector<Provenance>& values, const SourceMap& sources, const Style& style);
// path, value, origin, and file, line and column where a line gave the value.
Map provenance_value(const Provenance& value, const SourceMap& sources);

}  // namespace fabric::report
