// SPDX-License-Identifier: Apache-2.0
// The script that reads the links of a Linux host, and the parser of its output.
#pragma once

#include <string_view>

#include "engine/platform/link_readings.hpp"
#include "engine/remote/command.hpp"

namespace fabric::platform {

// POSIX sh. A tool that is missing, or that can't read a card, leaves its part unknown. Reading a
// module takes up to a second, and the card's own tool two, one card after the other.
remote::Command link_readings_command();
// Unknown lines are skipped.
LinkReadings parse_link_readings(std::string_view text);

}  // namespace fabric::platform
