// SPDX-License-Identifier: Apache-2.0
// Text of documents and nodes in Markdown, safe from being read as Markdown or HTML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fabric::report {

// For HTML, within which there is no Markdown. Escapes '@' too, which would mention a user.
std::string html_in_markdown(std::string_view text);
// One line of prose that no renderer takes for markup.
std::string inert(std::string_view text);
// A code block whose fence is longer than any run of its mark in the text.
std::string fenced(std::string_view text);
// The first and last lines of a text that is longer than `most` bytes.
std::string without_middle(std::string_view text, std::size_t most);

}  // namespace fabric::report
