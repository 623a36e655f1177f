// SPDX-License-Identifier: Apache-2.0
// Whether two hosts may talk: the networks and partitions that they have in common.
#pragma once

#include <vector>

#include "engine/model/document/provenance.hpp"
#include "engine/model/spec.hpp"

namespace fabric::report {

// A row for each network, VLAN and partition in which both are, with their addresses there; one
// that says so where there is none. REQUIRES: both are nodes of the document.
std::vector<Provenance> explained_pair(
    const FabricSpec& spec, const NodeName& one, const NodeName& other);

}  // namespace fabric::report
