// SPDX-License-Identifier: Apache-2.0
// No text of a node, a document or a file commands a terminal or forges a line, at any sink.
#include "tests/support/shown.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "engine/base/random.hpp"
#include "engine/cli/lab/lab_text.hpp"
#include "engine/cli/terminal/context.hpp"

#include "tests/support/catch.hpp"

namespace fabric::test {

namespace {

// Each class of what deceives: control characters of all three sets, a sequence that clears the
// screen, one that sets the title, an override of direction, what has no width, ends of lines, a
// byte of no character, marks of our own, commands to CI systems.
constexpr std::array<std::string_view, 24> kHostile{
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\r",
    "\b",
    "\x7f",
    "\xc2\x9b"
    "31m",
    "\xe2\x80\xae",
    "\xe2\x81\xa6",
    "\xe2\x80\x8b",
    "\xef\xbb\xbf",
    "\xe2\x80\xa8",
    "\xd8\x9c",
    "\xff",
    "\xe2\x80",
    "\nFORGED",
    "\x01",
    "\x02",
    "\x03",
    "\x04",
    "\x1f",
    "::error::",
    "##[error]",
    "\t",
    "\xf3\xa0\x81\x81"};

void check_clean(const std::vector<Shown>& all) {
  for (const Shown& shown : all) {
    const std::string deception = deception_in(shown);
    if (deception.empty()) continue;
    CAPTURE(shown.sink);
    CHECK(deception.empty());
    FAIL(deception);
  }
}

// Words, numbers and addresses among what deceives.
std::string random_text(Random& random) {
  constexpr std::array<std::string_view, 10> kUsual{
      " ", " ", "pve1", "pve2", "10.30.0.1", "9000", "/", ":", "cx5", "a-word"};
  std::string text;
  for (std::uint64_t pieces = random.below(12); pieces > 0; --pieces) {
    const std::uint64_t kind = random.below(3);
    if (kind == 0) {
      text += kHostile[random.below(kHostile.size())];
    } else if (kind == 1) {
      text += kUsual[random.below(kUsual.size())];
    } else {
      text += static_cast<char>(random.below(256));
    }
  }
  return text;
}

}  // namespace

TEST_CASE("no output has an escape sequence, whatever any text says", "[cli]") {
  constexpr std::size_t kTogether = 6;
  for (std::size_t begin = 0; begin < kHostile.size(); begin += kTogether) {
    std::string text = "a";
    for (std::size_t i = begin; i < std::min(begin + kTogether, kHostile.size()); ++i)
      text += fmt::format("{} b", kHostile[i]);
    check_clean(shown_of_text(text));
  }
  Random random{20261125};
  for (int i = 0; i < 6; ++i)
    check_clean(shown_of_text(random_text(random)));
}

TEST_CASE("no output has an escape sequence, whatever any probe prints", "[cli]") {
  const FactsBench bench;
  Random random{20261125};
  for (const std::string& probe : bench.probes()) {
    std::string printed = bench.printed(probe);
    CAPTURE(probe);
    check_clean(bench.shown(probe, random_text(random)));
    // What the parsers still understand.
    if (printed.empty()) continue;
    for (int edits = 0; edits < 12; ++edits)
      printed.insert(random.below(printed.size()), kHostile[random.below(kHostile.size())]);
    check_clean(bench.shown(probe, printed));
  }
}

TEST_CASE("a line end in a text begins no line of an output", "[cli]") {
  for (const Shown& shown : shown_of_text("a\nFORGED pve2: all is well\r\nFORGED")) {
    for (const std::string_view line : split_lines(shown.text)) {
      CAPTURE(shown.sink);
      CHECK_FALSE(trim(line).starts_with("FORGED"));
    }
  }
}

TEST_CASE("JSON stays UTF-8 and says what was said", "[cli]") {
  for (const std::string_view hostile : kHostile) {
    const std::string text = fmt::format("a{}b", hostile);
    const std::string json = to_json(Value{Map{{text, text}}});
    CHECK(deception_in({"json", json}).empty());
    const Result<Value> read = parse_json(json);
    REQUIRE(read);
    const bool is_utf8 = hostile != "\xff" && hostile != "\xe2\x80";
    if (is_utf8) CHECK(*read == Value{Map{{text, text}}});
  }
}

// What else can write to standard output and standard error.
TEST_CASE("one function writes to the terminal, and takes only texts", "[cli]") {
  const std::set<std::string> allowed{
      "engine/cli/terminal/output.cpp",     // it
      "engine/cli/terminal/interrupt.cpp",  // a literal, from a signal handler
      "engine/base/check.cpp"};             // literals of a failed check
  for (const char* folder : {"engine", "plans", "providers"}) {
    const std::filesystem::path root = FABRIC_SOURCE_DIR;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{root / folder}) {
      const std::string path = entry.path().lexically_relative(root).string();
      const bool is_source = path.ends_with(".cpp") || path.ends_with(".hpp");
      // The simulated shell has a printf of its own.
      const bool is_shell = path.starts_with("providers/linux/lab/shell/");
      if (!is_source || is_shell || allowed.contains(path)) continue;
      const std::string source = file_text(path);
      CAPTURE(path);
      for (const std::string_view way :
           {"std::cout",
            "std::cerr",
            "std::clog",
            "fwrite(",
            " printf(",
            "fprintf(",
            "fputs(",
            " puts(",
            "perror(",
            "fmt::print(",
            "std::print",
            "write(STDOUT_FILENO",
            "write(STDERR_FILENO"})
        CHECK(source.find(way) == std::string::npos);
    }
  }
}

TEST_CASE("what the lab answers is shown like all other text", "[cli]") {
  for (const std::string_view hostile : kHostile) {
    const Value status = Map{
        {std::string{hostile}, std::string{hostile}}, {"node", Map{{"x", std::string{hostile}}}}};
    CHECK(deception_in({"lab", cli::lab_status_text(status).str()}).empty());
  }
}

}  // namespace fabric::test
