// SPDX-License-Identifier: Apache-2.0
#include "engine/report/terminal/style.hpp"

#include "engine/model/node_set_text.hpp"

#include "tests/support/catch.hpp"

namespace fabric::report {

TEST_CASE("names fold to the node sets the document is written in", "[report]") {
  const auto folded = [](std::vector<std::string> names) {
    return fold(std::move(names));
  };
  CHECK(folded({"pve2", "pve1", "pve4", "pve3"}) == "pve[1-4]");
  CHECK(folded({"pve1", "pve3", "spare"}) == "pve[1,3],spare");
  CHECK(folded({"c001", "c002", "c128"}) == "c[001-002,128]");
  CHECK(folded({"c099", "c100"}) == "c[099-100]");
  CHECK(folded({"n9", "n10"}) == "n[9-10]");
  CHECK(folded({"r1-a", "r2-a"}) == "r[1-2]-a");
  CHECK(folded({"pve1", "pve1"}) == "pve1");
  CHECK(folded({}).empty());
}

TEST_CASE("text is wrapped at blanks and never cut", "[report]") {
  CHECK(wrap("one two three", 8, 2) == "one two\n  three");
  CHECK(wrap("/a/very/long/path x", 5, 1) == "/a/very/long/path\n x");
  CHECK(wrap("", 10, 2).empty());
}

TEST_CASE("escape sequences and continuation bytes take no columns", "[report]") {
  const Style coloured{true, 80, false};
  CHECK(columns(paint(coloured, Colour::red, "four")) == 4);
  CHECK(columns("\xc3\xbc") == 1);
  CHECK(pad("ab", 4) == "ab  ");
  CHECK(pad("abcdef", 4) == "abcdef");
  CHECK(paint(Style{}, Colour::red, "four") == "four");
}

}  // namespace fabric::report
