// SPDX-License-Identifier: Apache-2.0
// printf(1) and echo(1) escapes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fabric::lab {

// The format is used again while there are arguments left. `problem` is set where a number is none.
std::string format_printf(
    std::string_view format, const std::vector<std::string>& arguments, std::string& problem);
// \n \t \\ \0101 ...; `stopped` when \c was met.
std::string unescape_echo(std::string_view text, bool& stopped);

}  // namespace fabric::lab
