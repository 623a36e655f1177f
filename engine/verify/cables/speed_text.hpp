// SPDX-License-Identifier: Apache-2.0
// The speed of a cable as the document writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace fabric::verify {

// "100", "100G", "100 Gb/s", "40GbE" as megabits; nullopt if it is written in another way.
std::optional<std::int64_t> declared_speed_mbps(const std::string& speed);

// "25 Gb/s", "2500 Mb/s".
std::string speed_text(std::uint64_t mbps);

}  // namespace fabric::verify
