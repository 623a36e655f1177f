// SPDX-License-Identifier: Apache-2.0
// The two streams: results on standard output, everything for the person at the keyboard on
// standard error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/cli/terminal/options.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/report/terminal/text.hpp"

namespace fabric::cli {

enum class Stream : std::uint8_t { standard_output, standard_error };

// All that this program ever writes to a terminal, but for what a failed check says.
void write(Stream stream, const report::Text& text);
// False if what was written to standard output did not arrive (disk full, closed pipe).
bool flush_output();

bool is_terminal(Stream stream);
// Colour only on a terminal, and not with --no-color or NO_COLOR; width of the terminal,
// COLUMNS, 80.
report::Style style_for(Stream stream, const GlobalOptions& options);

// A question on standard error, the answer's line from standard input without its end; nullopt if
// standard input is no terminal or has ended.
std::optional<std::string> ask(const report::Text& question);

}  // namespace fabric::cli
