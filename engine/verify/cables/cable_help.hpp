// SPDX-License-Identifier: Apache-2.0
// What to do about a cable.
#pragma once

#include <string>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/verify/report/cable_report.hpp"

namespace fabric::verify {

// Of one that is not as the document says; "" where there is nothing to say.
std::string help_for(const FabricSpec& spec, const CableReport& cable);
// The help for cables of one network that could not be judged for one reason: which nodes could
// report them, and what that takes, on the platforms of their ends. REQUIRES: at least one cable.
std::string unproven_help(const FabricSpec& spec, const std::vector<const CableReport*>& cables);

}  // namespace fabric::verify
