// SPDX-License-Identifier: Apache-2.0
#include "engine/report/tables/html.hpp"

#include "engine/base/printable.hpp"

namespace fabric::report {

// XML 1.0 has no control characters at all, not even escaped, and nothing printable is one.
std::string xml_text(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char c : xml_text(text))
    safe += c == '\'' ? std::string{"&#39;"} : std::string{c};
  return safe;
}

}  // namespace fabric::report
