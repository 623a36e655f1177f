// SPDX-License-Identifier: Apache-2.0
#include "engine/report/tables/html.hpp"

#include "engine/base/printable.hpp"

namespace fabric::report {

std::string html_text(std::string_view text) {
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
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace fabric::report
