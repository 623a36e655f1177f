// SPDX-License-Identifier: Apache-2.0
// The port channels of managed switches that bonds of hosts end in, as the switches have them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/report/cable_report.hpp"
#include "engine/verify/report/findings.hpp"

namespace fabric::verify {

// Rule `bond-peer-differs`: one finding for each bond and switch, which names both ends, all that
// differs now and after the switch's next boot, and the ports that LACP does not take into the
// channel (from `of_resources`). If only the latter is wrong, a broken cable of such a port is its
// cause. Returns, by node and network, the findings that explain why a bond has no partner.
std::map<std::pair<NodeName, std::string>, Findings::Number> add_bond_peer_findings(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const std::vector<CableReport>& cables,
    const Diagnostics& of_resources,
    Findings& findings);

// True if a provider's finding `bond-not-aggregated` is about the end of a bond at a switch.
bool is_of_bond_peer(const FabricSpec& spec, const Diagnostic& finding);

// Bonds that do not work by the providers' findings, and why.
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
