// SPDX-License-Identifier: Apache-2.0
// The only place where text becomes part of a shell line.
#pragma once

#include <string>
#include <string_view>

#include "engine/remote/command.hpp"

namespace fabric::remote {

// One word for a POSIX shell: bare if it has only harmless characters, else in '...'.
std::string quote(std::string_view word);
// The words of argv, quoted, with one blank between.
std::string command_line(const Argv& argv);

}  // namespace fabric::remote
