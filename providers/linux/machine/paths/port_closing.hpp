// SPDX-License-Identifier: Apache-2.0
// The script that closes a port of a bond on a Linux host, and what its output says.
#pragma once

#include "engine/platform/port_closing.hpp"
#include "engine/remote/command.hpp"

namespace fabric::platform {

// POSIX sh, ping; bash for many flows. The port comes up again by a process that waits for that.
remote::Command port_closing_command(const PortClosing& closing);
PortClosingAnswer parse_port_closing(const remote::CommandOutput& output);

}  // namespace fabric::platform
