// SPDX-License-Identifier: Apache-2.0
#include "engine/graphviz/svg.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace fabric::graphviz::test {

TEST_CASE("a graph is drawn, twice the same", "[graphviz]") {
  const std::string dot = "graph \"ring\" { \"pve1\" -- \"pve2\" [label=\"storage\"]; }\n";
  const std::string picture = svg(dot);
  CHECK(picture == svg(dot));
  CHECK(picture.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "));
  CHECK(picture.ends_with("</svg>\n"));
  CHECK(picture.find(">pve2</text>") != std::string::npos);
  CHECK(picture.find(">storage</text>") != std::string::npos);
  CHECK(picture.find("DOCTYPE") == std::string::npos);
}

TEST_CASE("text of a graph is no markup of its picture", "[graphviz]") {
  const std::string picture =
      svg("graph g { \"</text><script>x</script>\" -- \"--><a>\" [label=\"]]>&amp;lt;\"]; }\n");
  CHECK(picture.find("<script") == std::string::npos);
  CHECK(picture.find("<a") == std::string::npos);
  // As it was written: "&lt;".
  CHECK(picture.find("&amp;lt;") != std::string::npos);
}

}  // namespace fabric::graphviz::test
