// SPDX-License-Identifier: Apache-2.0
// Versions of packages, kernels and driver stacks, which have more parts than those of firmware.
#pragma once

#include <optional>
#include <string_view>

namespace fabric::providers {

// True for "5.8-1.1.2.1" and "5.8-3.0.7.0", false for "6.1.0-26-amd64" and "5.15": compares numbers
// in order, whatever stands between them, up to the first word. nullopt if either has no number.
std::optional<bool> is_older_version(std::string_view found, std::string_view minimum);

}  // namespace fabric::providers
