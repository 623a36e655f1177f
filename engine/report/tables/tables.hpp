// SPDX-License-Identifier: Apache-2.0
// Tables as CSV, HTML and Markdown.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fabric::report {

// Rows of comma-separated values (RFC 4180) that a spreadsheet takes as text.
// One cell of one line, quoted if needed. Text that a spreadsheet would run as a formula gets an
// apostrophe before it (E-csv-formula).
std::string csv_cell(std::string_view text);

// "a,b,c\n"
std::string csv_row(std::span<const std::string> cells);

// Text within HTML and XML.
// Escapes a text of a node, a document or a file, for elements and quoted attributes.
std::string html_text(std::string_view text);
// The same without apostrophes, for elements and attributes in double quotes.
std::string xml_text(std::string_view text);

// Text of documents and nodes in Markdown, safe from being read as Markdown or HTML.
// For HTML, within which there is no Markdown. Escapes '@' too, which would mention a user.
std::string html_in_markdown(std::string_view text);
// One line of prose that no renderer takes for markup.
std::string inert(std::string_view text);
// A code block whose fence is longer than any run of its mark in the text.
std::string fenced(std::string_view text);
// The first and last lines of a text that is longer than `most` bytes.
std::string without_middle(std::string_view text, std::size_t most);

}  // namespace fabric::report
