// SPDX-License-Identifier: Apache-2.0
#include "engine/base/printable.hpp"

#include "engine/base/white_space.hpp"

#include "tests/support/catch.hpp"

namespace fabric {

TEST_CASE("what is printable stays as it is", "[base]") {
  for (const std::string_view text :
       {"",
        "plain text",
        "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7",
        "fd00::1",
        "::1 ::ffff 10.0.0.1",
        "a::b::c",
        "std::string",
        "a # b",
        "## heading",
        "x[0]",
        "\xe6\x97\xa5\xe6\x9c\xac"})
    CHECK(printable(text) == text);
}

TEST_CASE("control characters of all three sets are written out", "[base]") {
  for (int code = 0; code < 0x20; ++code) {
    const std::string shown = printable(std::string{"a"} + static_cast<char>(code) + "b");
    CAPTURE(code, shown);
    CHECK(shown.front() == 'a');
    CHECK(shown.back() == 'b');
    CHECK(shown.find(static_cast<char>(code)) == std::string::npos);
    CHECK((shown.find('\\') != std::string::npos || code == '\t'));
  }
  CHECK(printable("\x1b[2J") == "\\x1b[2J");
  CHECK(printable("a\r\nb\tc") == "a\\r\\nb c");
  CHECK(printable(std::string_view{"\0", 1}) == "\\x00");
  CHECK(printable("\x7f") == "\\x7f");
  CHECK(
      printable("\xc2\x9b"
                "31m") == "\\u009b31m");
}

TEST_CASE("what turns the direction, hides or ends a line of Unicode is written out", "[base]") {
  for (const std::uint32_t code :
       {0xadU,   0x61cU,  0x180eU, 0x200bU, 0x200cU, 0x200dU, 0x200eU,  0x200fU,  0x2028U,
        0x2029U, 0x202aU, 0x202bU, 0x202cU, 0x202dU, 0x202eU, 0x2060U,  0x2066U,  0x2067U,
        0x2068U, 0x2069U, 0xfeffU, 0xfff9U, 0xfffeU, 0xffffU, 0xe0041U, 0xe0001U, 0x3164U})
    CHECK(is_deceptive(code));
  for (const std::uint32_t code : {0x20U, 0x7eU, 0xa0U, 0xe9U, 0x20acU, 0x65e5U, 0x1f427U, 0x2010U})
    CHECK_FALSE(is_deceptive(code));
  CHECK(
      printable("\xe2\x80\xae"
                "a") == "\\u202ea");
  CHECK(printable("\xef\xbb\xbf") == "\\ufeff");
  CHECK(printable("\xf3\xa0\x81\x81") == "\\U000e0041");
}

TEST_CASE("bytes of no character are written out", "[base]") {
  CHECK(printable("\xff") == "\\xff");
  CHECK(printable("\xc0\x9b") == "\\xc0\\x9b");           // overlong
  CHECK(printable("\xe0\x80\x9b") == "\\xe0\\x80\\x9b");  // overlong
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(printable("\xe2\x80") == "\\xe2\\x80");  // cut short
  CHECK(
      printable("\x9b"
                "31m") == "\\x9b31m");
}

TEST_CASE("a text is no command to a CI system", "[base]") {
  CHECK(printable("::error::x") == "\\x3a:error::x");
  CHECK(printable("a ::stop-commands::x") == "a \\x3a:stop-commands::x");
  CHECK(printable("\t::group x") == " \\x3a:group x");
  CHECK(printable("::add-mask::") == "\\x3a:add-mask::");
  CHECK(printable("a##[error]b") == "a\\x23#[error]b");
  CHECK(printable("##vso[task.setvariable variable=x]y").starts_with("\\x23#vso["));
  CHECK(printable("##teamcity[message]").starts_with("\\x23#"));
}

TEST_CASE("no blank of Unicode hides a command to a CI system", "[base]") {
  std::size_t blanks = 0;
  for (std::uint32_t code = 1; code < 0x3100; ++code) {
    if (!is_white_space(code)) continue;
    ++blanks;
    CAPTURE(code);
    std::string blank;
    if (code < 0x80) {
      blank += static_cast<char>(code);
    } else if (code < 0x800) {
      blank += static_cast<char>(0xc0U | code >> 6U);
      blank += static_cast<char>(0x80U | (code & 0x3fU));
    } else {
      blank += static_cast<char>(0xe0U | code >> 12U);
      blank += static_cast<char>(0x80U | (code >> 6U & 0x3fU));
      blank += static_cast<char>(0x80U | (code & 0x3fU));
    }
    REQUIRE(first_character(blank).code == code);
    for (const std::string& before : {blank, "word" + blank, "word " + blank + blank}) {
      CHECK(printable(before + "::stop-commands::x").find("\\x3a:stop") != std::string::npos);
      CHECK(printable(before + "##[group]x").find("\\x23#[") != std::string::npos);
      CHECK(printable(before + "##vso[a.b]x").find("\\x23#vso[") != std::string::npos);
      CHECK(printable_lines(before + "##vso[a.b]x").find("\\x23#vso[") != std::string::npos);
    }
    for (const std::string& before : {blank, "a\n" + blank, "\t " + blank + blank})
      CHECK(printable_lines(before + "::stop-commands::x").find("\\x3a:stop") != std::string::npos);
  }
  CHECK(blanks == 25);
  CHECK(printable("fe80::1 ::beef x::y::z ::1") == "fe80::1 ::beef x::y::z ::1");
  CHECK(
      printable_lines("a::after {\n#!/bin/sh\n## x\n::1\n") ==
      "a::after {\n#!/bin/sh\n## x\n::1\n");
}

TEST_CASE("what was made printable is printable, and a document keeps its lines", "[base]") {
  const std::string text = "a\x1b\n\t\xff ::error::x ##[x] \xe2\x80\xae";
  CHECK(printable(printable(text)) == printable(text));
  CHECK(printable_lines(text) == "a\\x1b\n\t\\xff \\x3a:error::x \\x23#[x] \\u202e");
}

}  // namespace fabric
