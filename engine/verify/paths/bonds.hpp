// SPDX-License-Identifier: Apache-2.0
// Bonds that do not work by the providers' findings, and why.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/report/cable_report.hpp"
#include "engine/verify/report/findings.hpp"

namespace fabric::verify {

// Rule `bond-not-aggregated`: several findings about a bond if several of its properties are wrong.
// A broken cable explains a slave that is down, and missing LACP frames explain the missing effects
// of LACP. In a plan they are warnings, because no plan can mend them; in a verify they are errors.
// `peers`: the faults of the switches that the bonds end in (bond_peers.hpp).
void add_bond_findings(
    const FabricSpec& spec,
    const std::vector<CableReport>& cables,
    const Diagnostics& of_resources,
    const std::map<std::pair<NodeName, std::string>, Findings::Number>& peers,
    Findings& findings);

}  // namespace fabric::verify
