// SPDX-License-Identifier: Apache-2.0
// Code that the scripts for several shells share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/cli/reference/command_tree.hpp"

namespace fabric::cli {

// All names of the options, "--format -q"; with `with_value` those alone that take one.
std::vector<std::string> option_names(const CommandText& command, bool with_value);

// What a value is, for a shell: a file, a directory, nodes, a rule or a run of this folder.
enum class Completed : std::uint8_t { nothing, file, directory, nodes, rules, runs };
Completed completed_by(const OptionText& option);

// The first sentence or clause of a description, on one line.
std::string brief(std::string_view description);

}  // namespace fabric::cli
