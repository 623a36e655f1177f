// SPDX-License-Identifier: Apache-2.0
#include "engine/model/pcie.hpp"

#include <array>
#include <iterator>
#include <string>

namespace fabric {

std::optional<std::uint32_t> pcie_generation(std::string_view speed) {
  constexpr std::string_view kSpeeds[] = {"2.5", "5", "8", "16", "32", "64"};
  const std::string_view number = speed.substr(0, speed.find(' '));
  for (std::uint32_t generation = 1; generation <= std::size(kSpeeds); ++generation) {
    const std::string plain{kSpeeds[generation - 1]};
    if (number == plain || number == plain + ".0") return generation;
  }
  return std::nullopt;
}

std::optional<double> pcie_gbps(std::uint32_t generation, std::uint32_t lanes) {
  constexpr std::array<double, 6> kLaneGbps{2.0, 4.0, 7.88, 15.75, 31.5, 60.5};
  if (generation < 1 || generation > kLaneGbps.size()) return std::nullopt;
  return kLaneGbps[generation - 1] * lanes;
}

}  // namespace fabric
