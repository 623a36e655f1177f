// SPDX-License-Identifier: Apache-2.0
// A page that is one file: it refers to nothing outside of it, and runs nothing but the script that
// is compiled in.
#pragma once

#include <string>

#include "engine/value/value.hpp"

namespace fabric::report {

// `data` is drawn by the script (page/*.js); REQUIRES: its texts are printable. Its "title" is that
// of the page. No text in it can end the element that holds it, and a Content-Security-Policy names
// the script and the style by their digests and forbids everything else.
std::string html_page(const Value& data);

// The data as it stands in the page: JSON in which no character means anything in HTML.
std::string script_data(const Value& data);

}  // namespace fabric::report
