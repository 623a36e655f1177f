// SPDX-License-Identifier: Apache-2.0
// The port channels of managed switches that bonds of hosts end in, as the switches have them.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/report/findings.hpp"

namespace fabric::verify {

// Rule `bond-peer-differs`: one finding for each bond and switch, which names both ends and all
// that differs, now and after the switch's next boot. By node and network, those that explain why a
// bond finds no partner.
std::map<std::pair<NodeName, std::string>, Findings::Number> add_bond_peer_findings(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, Findings& findings);

}  // namespace fabric::verify
