// SPDX-License-Identifier: Apache-2.0
// Texts that explain a rule, or the origin of a value.
#pragma once

#include <vector>

#include "engine/base/source.hpp"
#include "engine/model/document/provenance.hpp"
#include "engine/model/rule.hpp"
#include "engine/model/spec.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/value/value.hpp"

namespace fabric::report {

// The rule's slug, reason, evidence and fix.
Text rule_text(const RuleInfo& rule, const Style& style);
Map rule_value(const RuleInfo& rule);

// A table of name, value, place and origin; the common start of all paths is its title.
Text provenance_text(
    const std::vector<Provenance>& values, const SourceMap& sources, const Style& style);
// The path, value and origin; also file, line and column if a line gave the value.
Map provenance_value(const Provenance& value, const SourceMap& sources);

// The networks and partitions that two hosts have in common.
// A row for each network, VLAN and partition that has both hosts, with their addresses there; or
// one row that says that there is none. REQUIRES: both are nodes of the document.
std::vector<Provenance> explained_pair(
    const FabricSpec& spec, const NodeName& one, const NodeName& other);

}  // namespace fabric::report
