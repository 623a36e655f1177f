// SPDX-License-Identifier: Apache-2.0
// Common code of the completion scripts for several shells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/cli/reference/command_tree.hpp"

namespace fabric::cli {

// The names of all options, "--format -q"; `with_value`: only of those that take a value.
std::vector<std::string> option_names(const CommandText& command, bool with_value);

// The kind of a value, for completion: a file, a directory, nodes, a rule or a run of this folder.
enum class Completed : std::uint8_t { nothing, file, directory, nodes, rules, runs };
Completed completed_by(const OptionText& option);

// The first sentence or clause of a description, on one line.
std::string brief(std::string_view description);

}  // namespace fabric::cli
