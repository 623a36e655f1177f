// SPDX-License-Identifier: Apache-2.0
#include "engine/report/line_diff.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace fabric::report {
namespace {

TEST_CASE("a difference of lines has three lines around it", "[report]") {
  CHECK(unified_diff("f", "a\n", "a\n").empty());
  CHECK(
      unified_diff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n") ==
      "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
}

TEST_CASE("differences that lie apart are hunks of their own", "[report]") {
  std::string before;
  for (int i = 1; i <= 20; ++i)
    before += std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("2\n"), 2, "two\n");
  after.replace(after.find("18\n"), 3, "");
  CHECK(
      unified_diff("f", before, after) ==
      "--- f\n+++ f\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n"
      "@@ -15,6 +15,5 @@\n 15\n 16\n 17\n-18\n 19\n 20\n");
}

TEST_CASE("a last line without an end is told", "[report]") {
  CHECK(
      unified_diff("f", "a", "a\n") ==
      "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
  CHECK(unified_diff("f", "", "a\n") == "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
}

}  // namespace
}  // namespace fabric::report
