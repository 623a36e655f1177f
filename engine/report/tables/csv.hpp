// SPDX-License-Identifier: Apache-2.0
// Rows of comma-separated values (RFC 4180) that a spreadsheet takes as text.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fabric::report {

// One cell of one line, quoted if needed. Text that a spreadsheet would run as a formula gets an
// apostrophe before it (E-csv-formula).
std::string csv_cell(std::string_view text);

// "a,b,c\n"
std::string csv_row(std::span<const std::string> cells);

}  // namespace fabric::report
