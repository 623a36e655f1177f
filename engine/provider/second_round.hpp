// SPDX-License-Identifier: Apache-2.0
// What can be read only when a package of the same plan is there: a plan that installs it is the
// first of two rounds.
#pragma once

#include <string>
#include <string_view>

#include "engine/model/resource.hpp"
#include "engine/provider/observation.hpp"

namespace fabric {

// How the reason of such a Reading begins; the name of the package follows.
inline constexpr std::string_view kNeedsPackage = "it can be read when this package is there: ";

inline Reading unknown_without(const std::string& package) {
  return Reading::unknown(std::string{kNeedsPackage} + package);
}

// The package; "" where something else is the reason, or nothing is unknown.
inline std::string package_needed(const LayeredReading& reading) {
  for (const auto* layer : {&reading.running, &reading.next_boot, &reading.persistent}) {
    const std::string why = *layer ? (*layer)->why() : std::string{};
    if (why.starts_with(kNeedsPackage)) return why.substr(kNeedsPackage.size());
  }
  return {};
}

}  // namespace fabric
