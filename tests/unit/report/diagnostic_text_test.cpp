// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "engine/base/text.hpp"
#include "engine/report/diagnostics/text.hpp"

#include "tests/support/catch.hpp"

namespace fabric::report {
namespace {

// The range of the first `word` in the text of `file`.
SourceRange find(const SourceMap& sources, FileId file, std::string_view word) {
  const std::size_t begin = sources.text(file).find(word);
  REQUIRE(begin != std::string::npos);
  return {file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + word.size())};
}

TEST_CASE("a finding shows its line, the place in it, the related place and the help", "[report]") {
  SourceMap sources;
  const FileId file = sources.add(
      "fabric.yaml",
      "networks:\n  storage:\n    mode: chain\n    cables:\n      - [pve1/1, pve2/1]\n\n\n\n\n"
      "      - [pve1/1, pve3/2]\n");
  Diagnostics diagnostics;
  diagnostics
      .error("port-reused", find(sources, file, "pve3/2"), "port pve1/cx5/1 is in two cables")
      .with_help("a port takes one cable")
      .with_note(find(sources, file, "pve1/1"), "first used here");
  CHECK(
      diagnostics_text(diagnostics, sources, Style{}) ==
      R"(error[port-reused]: port pve1/cx5/1 is in two cables
  --> fabric.yaml:10:18
   |
10 |       - [pve1/1, pve3/2]
   |                  ^^^^^^
5  |       - [pve1/1, pve2/1]
   |          ------ first used here
   = help: a port takes one cable

)");
}

TEST_CASE(
    "several other places are a line each, the first of them, and all with --verbose", "[report]") {
  SourceMap sources;
  const FileId file = sources.add("f", "a: b\nc: d\ne: f\ng: h\n");
  Diagnostics diagnostics;
  auto& finding = diagnostics.error("r", find(sources, file, "a"), "m")
                      .with_note(find(sources, file, "b"), "at b")
                      .with_note(find(sources, file, "d"), "at d")
                      .with_note(find(sources, file, "f"), "at f");
  const auto shown = [&](bool verbose) {
    Style style;
    style.verbose = verbose;
    return diagnostics_text(diagnostics, sources, style).str();
  };
  const std::string head = "error[r]: m\n --> f:1:1\n  |\n1 | a: b\n  | ^\n";
  CHECK(shown(false) == head + " ::: f:1:4: at b\n ::: f:2:4: at d\n ::: f:3:4: at f\n\n");
  CHECK(
      shown(true) == head + "  |    - at b\n2 | c: d\n  |    - at d\n3 | e: f\n  |    - at f\n\n");
  finding.with_note(find(sources, file, "h"), "at h");
  CHECK(shown(false).ends_with("at f\n  = 1 more place; --verbose shows each\n\n"));
  CHECK(shown(true).ends_with("4 | g: h\n  |    - at h\n\n"));
}

TEST_CASE("a finding without a place has no line, and neither has such a note", "[report]") {
  SourceMap sources;
  Diagnostics diagnostics;
  diagnostics.warning("sm-missing", {}, "node c1 tells nothing")
      .with_note({}, "it was not reached");
  CHECK(
      diagnostics_text(diagnostics, sources, Style{}) ==
      "warning[sm-missing]: node c1 tells nothing\n  = note: it was not reached\n\n");
}

TEST_CASE("marks stand below what they mark, also behind tabs and wide characters", "[report]") {
  SourceMap sources;
  const FileId file = sources.add("f", "\xc3\xa4\xe2\x82\xac\tx: bad value # \x1b[31m\n");
  Diagnostics diagnostics;
  diagnostics.error("r", find(sources, file, "bad"), "m");
  CHECK(
      diagnostics_text(diagnostics, sources, Style{}) ==
      "error[r]: m\n --> f:1:7\n  |\n1 | \xc3\xa4\xe2\x82\xac x: bad value # \\x1b[31m\n"
      "  |       ^^^\n\n");
}

TEST_CASE("what reaches over several lines is marked to the end of its first", "[report]") {
  SourceMap sources;
  const FileId file = sources.add("f", "a: [1,\n  2]\n");
  Diagnostics diagnostics;
  diagnostics.error("r", {file, 3, 11}, "m");
  CHECK(
      diagnostics_text(diagnostics, sources, Style{}) ==
      "error[r]: m\n --> f:1:4\n  |\n1 | a: [1,\n  |    ^^^\n\n");
}

TEST_CASE("an empty place and one behind the last line have one mark", "[report]") {
  SourceMap sources;
  const FileId file = sources.add("f", "a:\n");
  Diagnostics diagnostics;
  diagnostics.error("r", {file, 2, 2}, "m");
  diagnostics.error("r", {file, 3, 3}, "end");
  CHECK(
      diagnostics_text(diagnostics, sources, Style{}) ==
      "error[r]: m\n --> f:1:3\n  |\n1 | a:\n  |   ^\n\n"
      "error[r]: end\n --> f:2:1\n  |\n2 | \n  | ^\n\n");
}

TEST_CASE("no line is wider than the terminal, wherever a long line is marked", "[report]") {
  SourceMap sources;
  std::string line;
  for (int i = 0; i < 100; ++i)
    line += "node" + std::to_string(i) + ", ";
  const FileId file = sources.add("f", line);
  for (std::uint32_t begin = 0; begin < line.size(); begin += 7) {
    for (const std::uint32_t length : {1U, 5U, 300U}) {
      Diagnostics diagnostics;
      const auto size = static_cast<std::uint32_t>(line.size());
      const SourceRange range{file, begin, std::min(begin + length, size)};
      diagnostics.error("r", range, "some message with words " + line)
          .with_help("help " + line)
          .with_note(range, "note " + line);
      const std::string text = diagnostics_text(diagnostics, sources, Style{}).str();
      const std::vector<std::string_view> lines = split_lines(text);
      const bool fits = std::all_of(
          lines.begin(), lines.end(), [](std::string_view shown) { return columns(shown) <= 80; });
      INFO(text);
      REQUIRE(fits);
      // The first marked character is the one that was meant.
      const auto marks = std::find_if(lines.begin(), lines.end(), [](std::string_view shown) {
        return shown.find('^') != std::string_view::npos;
      });
      REQUIRE(marks != lines.end());
      REQUIRE(std::prev(marks)->at(marks->find('^')) == line[begin]);
    }
  }
}

TEST_CASE("colour is only where it is asked for and changes no text", "[report]") {
  SourceMap sources;
  const FileId file = sources.add("f", "a: b\n");
  Diagnostics diagnostics;
  diagnostics.info("r", {file, 3, 4}, "m").with_note({file, 0, 1}, "n").with_help("h");
  Style colourful;
  colourful.colour = true;
  const Text plain = diagnostics_text(diagnostics, sources, Style{});
  const Text painted = diagnostics_text(diagnostics, sources, colourful);
  CHECK(plain.str().find('\x1b') == std::string::npos);
  CHECK(painted.str().find('\x1b') != std::string::npos);
  CHECK(columns(painted) == columns(plain));
}

TEST_CASE("the summary counts by severity", "[report]") {
  Diagnostics diagnostics;
  CHECK(diagnostics_summary(diagnostics) == "no findings");
  diagnostics.error("r", {}, "m");
  CHECK(diagnostics_summary(diagnostics) == "1 error");
  diagnostics.error("r", {}, "n");
  diagnostics.warning("r", {}, "m");
  diagnostics.info("r", {}, "m");
  CHECK(diagnostics_summary(diagnostics) == "2 errors, 1 warning, 1 for information");
}

}  // namespace
}  // namespace fabric::report
