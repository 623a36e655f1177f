// The judgement of each declared cable: by link state and LLDP, or by what the subnet shows.
#pragma once

#include <vector>

#include "engine/verify/cables/wire_cables.hpp"
#include "engine/verify/evidence/evidence.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::verify {

// In order of network, then of writing.
std::vector<CableReport> judge_cables(
    const FabricSpec& spec, const Evidence& evidence, const WireCables& wire);

// A cable known to be wrong, so that frames that should cross it can't be expected.
bool is_broken(CableState state);

// One finding per broken cable, and one per network for those that could not be judged.
std::vector<Finding> cable_findings(const std::vector<CableReport>& cables);
// Rule `cable-unexpected`.
std::vector<Finding> unexpected_findings(const std::vector<UnexpectedCable>& cables);

}  // namespace fabric::verify
