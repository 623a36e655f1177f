// The pings of one node as one script, and its output taken apart.
#pragma once

#include <vector>

#include "engine/remote/command.hpp"
#include "engine/verify/report/path_report.hpp"

namespace fabric::verify {

// POSIX sh, iputils or BusyBox.
remote::Command ping_command(const std::vector<Path>& from_one_node);
std::vector<PathReport> parse_pings(
    const std::vector<Path>& from_one_node, const remote::CommandOutput& output);

}  // namespace fabric::verify
