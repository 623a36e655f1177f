// SPDX-License-Identifier: Apache-2.0
// Rows of comma-separated values (RFC 4180) that a spreadsheet takes for text.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fabric::report {

// One cell of one line. What a spreadsheet would run as a formula begins with an apostrophe
// (E-csv-formula); quoted where it has to be.
std::string csv_cell(std::string_view text);

// "a,b,c\n"
std::string csv_row(std::span<const std::string> cells);

}  // namespace fabric::report
