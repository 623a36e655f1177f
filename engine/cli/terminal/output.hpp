// SPDX-License-Identifier: Apache-2.0
// The two output streams: results on standard output, messages for the user on standard error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/cli/terminal/options.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/report/terminal/text.hpp"

namespace fabric::cli {

enum class Stream : std::uint8_t { standard_output, standard_error };

// The only function that writes to a terminal, except for the message of a failed check.
void write(Stream stream, const report::Text& text);
// False if output to standard output was lost (disk full, closed pipe).
bool flush_output();

bool is_terminal(Stream stream);
// Colour only on a terminal, and not with --no-color or NO_COLOR; the width is that of the
// terminal, COLUMNS, or 80.
report::Style style_for(Stream stream, const GlobalOptions& options);

// Prints a question on standard error and reads a line from standard input, without its end;
// nullopt if standard input is no terminal or has ended.
std::optional<std::string> ask(const report::Text& question);

}  // namespace fabric::cli
