// SPDX-License-Identifier: Apache-2.0
// The kinds of Fault of a running bond that a provider can see (rule `bond-not-aggregated`);
// `verify` looks for their causes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fabric::bond_faults {

inline constexpr std::string_view kLink = "link";                // a slave, or the bond, is down
inline constexpr std::string_view kPartner = "partner";          // no partner answers LACP
inline constexpr std::string_view kAggregation = "aggregation";  // LACP did not take all its ports
inline constexpr std::string_view kSetting = "setting";  // its settings can't detect a failed link
// At a switch: LACP does not take ports into the channel, for it hears another partner, or none.
inline constexpr std::string_view kSuspended = "suspended";
inline constexpr std::string_view kIndividual = "individual";

// The text of a fault of the last two kinds: "port 7 is suspended (...)".
std::string text_of_members(std::string_view kind, const std::vector<std::string>& ports);

}  // namespace fabric::bond_faults
