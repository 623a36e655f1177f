// SPDX-License-Identifier: Apache-2.0
// The script that reads the subnets of a Linux host's ports, and the parser of its output.
#pragma once

#include "engine/base/node_name.hpp"
#include "engine/platform/subnet_looks.hpp"
#include "engine/remote/command.hpp"

namespace fabric::platform {

// Needs infiniband-diags, root and timeout(1); POSIX sh.
remote::Command subnet_looks_command();
SubnetLooks parse_subnet_looks(const NodeName& node, const remote::CommandOutput& output);

}  // namespace fabric::platform
