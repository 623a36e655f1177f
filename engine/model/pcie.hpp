// SPDX-License-Identifier: Apache-2.0
// What a PCIe link carries.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fabric {

// "8.0 GT/s PCIe" of sysfs to 3; nullopt for what no generation has.
std::optional<std::uint32_t> pcie_generation(std::string_view speed);
// Usable Gb/s: line rate less 8b/10b or 128b/130b coding. nullopt for an unknown generation.
std::optional<double> pcie_gbps(std::uint32_t generation, std::uint32_t lanes);

}  // namespace fabric
