// SPDX-License-Identifier: Apache-2.0
// Text within HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace fabric::report {

// Escapes a text of a node, a document or a file, for elements and quoted attributes.
std::string html_text(std::string_view text);
// The same without apostrophes, for elements and attributes in double quotes.
std::string xml_text(std::string_view text);

}  // namespace fabric::report
