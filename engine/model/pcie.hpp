// SPDX-License-Identifier: Apache-2.0
// The generation and bandwidth of a PCIe link.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fabric {

// 3 for "8.0 GT/s PCIe" of sysfs; nullopt for a speed of no generation.
std::optional<std::uint32_t> pcie_generation(std::string_view speed);
// Usable Gb/s: line rate less 8b/10b or 128b/130b coding. nullopt for an unknown generation.
std::optional<double> pcie_gbps(std::uint32_t generation, std::uint32_t lanes);

}  // namespace fabric
