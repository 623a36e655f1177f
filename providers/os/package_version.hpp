// SPDX-License-Identifier: Apache-2.0
// Versions of packages, kernels and driver stacks, which have more parts than those of firmware.
#pragma once

#include <optional>
#include <string_view>

namespace fabric::providers {

// "5.8-1.1.2.1" is older than "5.8-3.0.7.0", "6.1.0-26-amd64" not older than "5.15": numbers in
// order, whatever stands between them, up to the first word. nullopt if either has no number.
std::optional<bool> is_older_version(std::string_view found, std::string_view minimum);

}  // namespace fabric::providers
