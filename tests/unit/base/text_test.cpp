// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.hpp"

#include <string_view>
#include <vector>

#include "tests/support/catch.hpp"

namespace fabric {

TEST_CASE("lines that are taken one by one are those of the whole text", "[base]") {
  for (const std::string_view text :
       {"", "\n", "\n\n", "a", "a\n", "a\nb", "a\r\nb\r\n", "\r\n", "a\n\nb\n", "\na"}) {
    CAPTURE(text);
    std::vector<std::string_view> lines;
    for (std::string_view rest = text; !rest.empty();)
      lines.push_back(take_line(rest));
    CHECK(lines == split_lines(text));
  }
}

}  // namespace fabric
