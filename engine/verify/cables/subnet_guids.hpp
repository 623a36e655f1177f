// SPDX-License-Identifier: Apache-2.0
// The port GUIDs of hosts that could not be read, as the subnet shows them.
#pragma once

#include <map>
#include <set>

#include "engine/model/names.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/cables/wire_view.hpp"

namespace fabric::verify {

// The port GUIDs of those of `ports` whose adapter has the host's name in its node description and
// a known place in the subnet: a cable alone does not decide which port is in a partition.
std::map<PortRef, Guid> guids_in_subnets(
    const FabricSpec& spec, const WireEvidence& evidence, const std::set<PortRef>& ports);

}  // namespace fabric::verify
