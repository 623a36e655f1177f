// SPDX-License-Identifier: Apache-2.0
// Partitions by name, and one node of them that is off: known before, or never seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fabric::simulation {

// Of so many hosts. What went wrong; nothing: it went well.
std::vector<std::string> play_members(std::uint64_t hosts);

}  // namespace fabric::simulation
