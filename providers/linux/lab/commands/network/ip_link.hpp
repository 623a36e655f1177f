// SPDX-License-Identifier: Apache-2.0
// ip link set, add and delete.
#pragma once

#include <string>
#include <vector>

#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::commands {

// `words` begin with the verb. Returns the exit status; errors are on standard error.
int ip_link(Process& process, const std::vector<std::string>& words);

}  // namespace fabric::lab::commands
