// SPDX-License-Identifier: Apache-2.0
// Text of documents and nodes in Markdown, where it must not be taken for Markdown or HTML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fabric::report {

// Within HTML, where Markdown is none. '@' would call people by name.
std::string html_in_markdown(std::string_view text);
// One line of prose that no renderer takes for anything else.
std::string inert(std::string_view text);
// A block whose fence is longer than any run of its mark within.
std::string fenced(std::string_view text);
// The first and the last lines of a text that is longer than `most` bytes.
std::string without_middle(std::string_view text, std::size_t most);

}  // namespace fabric::report
