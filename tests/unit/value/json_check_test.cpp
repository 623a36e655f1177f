// SPDX-License-Identifier: Apache-2.0
#include "engine/value/json_check.hpp"

#include <cstdint>
#include <string>

#include "engine/base/limits.hpp"
#include "engine/base/random.hpp"
#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"

namespace fabric {

namespace {

constexpr std::size_t kPlenty = SIZE_MAX / 2;

bool accepts(const std::string& text) {
  return !check_json(text, kPlenty);
}

}  // namespace

TEST_CASE("a look through JSON finds what the parser refuses, and nothing else", "[json]") {
  for (const char* text :
       {"null",
        " true ",
        "[]",
        "{}",
        "[[],{}]",
        "{\"a\":[1,2.5e-3,-0,\"\\u00e4\\ud83d\\ude00\\n\"]}",
        "\"\xc3\xa4\"",
        "-1E+2",
        "[null,false]",
        "\xef\xbb\xbf[1]"}) {
    CAPTURE(text);
    CHECK(accepts(text));
    CHECK(parse_json(text).has_value());
  }
  for (const char* text :
       {"",
        " ",
        "[",
        "{",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1,}",
        "{a:1}",
        "[1 2]",
        "tru",
        "nul",
        "01",
        "1.",
        "1e",
        "-",
        "+1",
        ".5",
        "\"",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\xff\"",
        "\"\xc0\x80\"",
        "\"\xed\xa0\x80\"",
        "\"\n\"",
        "[]]",
        "[1}",
        "{]",
        "1 1",
        "'a'",
        "[1]//"}) {
    CAPTURE(text);
    CHECK_FALSE(accepts(text));
    CHECK_FALSE(parse_json(text).has_value());
  }
}

TEST_CASE("on mutated JSON the look and the parser agree", "[json]") {
  const std::string whole =
      R"({"a": [1, -2.5e+3, "x\u00e4\ud83d\ude00", true, null], "b": {"c": {}, "d": []}})";
  const std::string alphabet = "{}[],:\"\\u0aE+-. \ttrfn\xc3\xa4";
  Random random{7};
  for (int round = 0; round < 20'000; ++round) {
    std::string text = whole;
    for (std::uint64_t edits = random.below(3) + 1; edits > 0; --edits) {
      const std::size_t at = random.below(text.size());
      const char c = alphabet[random.below(alphabet.size())];
      if (random.below(2) == 0) {
        text[at] = c;
      } else {
        text.erase(at, 1);
      }
    }
    const auto problem = check_json(text, kPlenty);
    const Result<Value> value = parse_json(text);
    // What only the parser asks for: keys that differ, numbers that a double can hold.
    const bool only_parser =
        !value && (value.error().message.find("twice") != std::string::npos ||
                   value.error().message.find("out of range") != std::string::npos);
    if (only_parser) continue;
    CAPTURE(text);
    REQUIRE(value.has_value() == !problem.has_value());
  }
}

TEST_CASE(
    "a large text is refused for its depth, its end and its values before it is kept", "[json]") {
  const std::size_t bytes = 4 * limits::kCheckedFirstBytes;
  const auto message = [](const std::string& text) {
    const Result<Value> value = parse_json(text);
    return value ? std::string{"read"} : value.error().message;
  };
  CHECK(message(std::string(bytes, '[')) == "line 1, column 65: nested deeper than 64 levels");
  CHECK(message('"' + std::string(bytes, 'a')).find("unexpected end") != std::string::npos);
  std::string dense = "[0";
  while (dense.size() < bytes)
    dense += ",0";
  CHECK(message(dense + "]").find("more values than") != std::string::npos);
  std::string usual = "[\n";
  while (usual.size() < bytes)
    usual += "  {\"name\": \"a name of usual length\", \"number\": 1},\n";
  CHECK(message(usual + "{}]\n") == "read");
  CHECK(message(usual + "{]\n").find("line 2") == std::string::npos);
  CHECK(message(usual + "{]\n").find("unexpected character") != std::string::npos);
}

}  // namespace fabric
