// The two streams: results on standard output, everything for the person at the keyboard on
// standard error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/cli/terminal/options.hpp"
#include "engine/report/terminal/style.hpp"

namespace fabric::cli {

enum class Stream : std::uint8_t { standard_output, standard_error };

void write(Stream stream, std::string_view text);
// False if what was written to standard output did not arrive (disk full, closed pipe).
bool flush_output();

bool is_terminal(Stream stream);
// Colour only on a terminal, and not with --no-color or NO_COLOR; width of the terminal,
// COLUMNS, 80.
report::Style style_for(Stream stream, const GlobalOptions& options);

// A question on standard error, the answer's line from standard input without its end; nullopt if
// standard input is no terminal or has ended.
std::optional<std::string> ask(std::string_view question);

}  // namespace fabric::cli
