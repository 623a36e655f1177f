// SPDX-License-Identifier: Apache-2.0
// The networks and partitions that two hosts have in common.
#pragma once

#include <vector>

#include "engine/model/document/provenance.hpp"
#include "engine/model/spec.hpp"

namespace fabric::report {

// A row for each network, VLAN and partition that has both hosts, with their addresses there; or
// one row that says that there is none. REQUIRES: both are nodes of the document.
std::vector<Provenance> explained_pair(
    const FabricSpec& spec, const NodeName& one, const NodeName& other);

}  // namespace fabric::report
