// SPDX-License-Identifier: Apache-2.0
// What to do about a cable.
#pragma once

#include <string>

#include "engine/verify/report/cable_report.hpp"

namespace fabric::verify {

// Of one that is not as the document says; "" where there is nothing to say.
std::string help_for(const CableReport& cable);
// Of one that could not be judged: what would tell.
std::string no_data_help(const CableReport& cable, bool without_link);

}  // namespace fabric::verify
