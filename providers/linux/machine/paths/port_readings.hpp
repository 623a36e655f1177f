// SPDX-License-Identifier: Apache-2.0
// The script that reads what a Linux kernel says of its ports, and what it prints.
#pragma once

#include <string_view>

#include "engine/platform/port_readings.hpp"
#include "engine/remote/command.hpp"

namespace fabric::platform {

// POSIX sh; grep as GNU or BusyBox have it. Files that a kernel lacks are normal.
remote::Command port_readings_command();
// Lines it does not know are skipped.
PortReadings parse_port_readings(std::string_view text);

}  // namespace fabric::platform
