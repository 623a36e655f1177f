// SPDX-License-Identifier: Apache-2.0
// A page in one file: it refers to nothing outside of it, and runs only the script that is compiled
// in.
#pragma once

#include <string>

#include "engine/value/value.hpp"

namespace fabric::report {

// The script (page/*.js) draws `data`; REQUIRES: its texts are printable. Its "title" is the title
// of the page. No text in it can end the element that holds it, and a Content-Security-Policy
// allows only the script and the style, by their digests.
std::string html_page(const Value& data);

// The data as written into the page: JSON without any character that means something in HTML.
std::string script_data(const Value& data);

}  // namespace fabric::report
