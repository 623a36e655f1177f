// SPDX-License-Identifier: Apache-2.0
#include "engine/value/json_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

std::string written(JsonStyle style, const auto& write) {
  std::string text;
  JsonWriter writer{style, [&text](std::string_view piece) {
                      text += piece;
                    }};
  write(writer);
  writer.finish();
  return text;
}

TEST_CASE("what is written piece by piece has the bytes of the whole") {
  const Value whole{
      Map{{"empty", List{}},
          {"list", List{1, -2, true, Value{}, "a"}},
          {"map", Map{{"b", 1.5}, {"c", Map{}}}},
          {"text", "two\nlines"}}};
  const auto by_piece = [](JsonWriter& out) {
    out.begin_object();
    out.key("empty");
    out.begin_list();
    out.end_list();
    out.key("list");
    out.begin_list();
    out.number(1);
    out.number(-2);
    out.boolean(true);
    out.value({});
    out.text("a");
    out.end_list();
    out.key("map");
    out.begin_object();
    out.member("b", Value{1.5});
    out.key("c");
    out.begin_object();
    out.end_object();
    out.end_object();
    out.member("text", "two\nlines");
    out.end_object();
  };
  CHECK(written(JsonStyle::line, by_piece) == to_json(whole));
  CHECK(written(JsonStyle::pretty, by_piece) == to_json_pretty(whole));
  CHECK(
      to_json(whole) ==
      R"({"empty":[],"list":[1,-2,true,null,"a"],"map":{"b":1.5,"c":{}},"text":"two\nlines"})");
  CHECK(
      to_json_pretty(Map{{"a", List{1, Map{}}}, {"b", Map{{"c", List{}}}}}) ==
      "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": []\n  }\n}\n");
}

TEST_CASE("a text comes in pieces of a bounded size") {
  std::size_t largest = 0;
  std::size_t bytes = 0;
  JsonWriter writer{JsonStyle::line, [&](std::string_view piece) {
                      largest = std::max(largest, piece.size());
                      bytes += piece.size();
                    }};
  writer.begin_list();
  for (int i = 0; i < 100'000; ++i) {
    writer.begin_object();
    writer.member("a", "one of many");
    writer.end_object();
  }
  writer.end_list();
  writer.finish();
  CHECK(bytes > 2'000'000);
  CHECK(largest < 100'000);
}

TEST_CASE("strings are written as JSON has them, and deceive nobody who reads them") {
  CHECK(to_json(Value{"\b\f\n\r\t\"\\/"}) == R"("\b\f\n\r\t\"\\/")");
  CHECK(to_json(Value{std::string{"\x01\x1f", 2}}) == R"("\u0001\u001f")");
  CHECK(to_json(Value{std::string{"a\0b", 3}}) == R"("a\u0000b")");
  CHECK(to_json(Value{"# a comment #1 ## x"}) == R"("# a comment #1 ## x")");
  CHECK(to_json(Value{"x ##[error]y"}) == R"("x \u0023#[error]y")");
  CHECK(to_json(Value{"##vso[task]"}) == R"("\u0023#vso[task]")");
  CHECK(to_json(Value{"\x7f"}) == R"("\u007f")");
  CHECK(to_json(Value{"gr\xc3\xbc\xc3\x9f"}) == "\"gr\xc3\xbc\xc3\x9f\"");
  CHECK(to_json(Value{"a\xe2\x80\xae!"}) == R"("a\u202e!")");
  CHECK(to_json(Value{"bad \xff byte"}) == "\"bad \xef\xbf\xbd byte\"");
  CHECK(to_json(Value{Map{{"##[x]", 1}}}) == R"({"\u0023#[x]":1})");
}

TEST_CASE("a command of a log is found wherever it stands in a text") {
  for (std::size_t before = 0; before < 20; ++before) {
    for (const char* between : {"", "\n", "\"", "# "}) {
      const std::string front = std::string(before, 'a') + between;
      CAPTURE(front);
      CHECK(
          to_json(Value{front + "##[x] #"}) ==
          to_json(Value{front}).substr(0, to_json(Value{front}).size() - 1) + R"(\u0023#[x] #")");
    }
  }
}

TEST_CASE("a text of several parts is that of all of them") {
  const std::string text = written(JsonStyle::line, [](JsonWriter& writer) {
    writer.begin_list();
    writer.text({"a/", "", "\n#", "#[b]"});
    writer.text("");
    writer.end_list();
  });
  CHECK(text == to_json(List{"a/\n##[b]", ""}));
}

TEST_CASE("a value that was written before stands where it would have been written") {
  const std::string text = written(JsonStyle::pretty, [](JsonWriter& writer) {
    writer.begin_object();
    writer.key("a");
    writer.written(to_json(Value{"x\n"}));
    writer.member("b", true);
    writer.end_object();
  });
  CHECK(text == to_json_pretty(Value{Map{{"a", "x\n"}, {"b", true}}}));
}

// The byte order mark makes the other parser read it.
Result<Value> by_the_other(std::string_view text) {
  return parse_json("\xef\xbb\xbf" + std::string{text});
}

TEST_CASE("the fast way through a JSON text reads what the other one reads") {
  constexpr std::string_view kTexts[] = {
      R"({"b":[1,-0,0,12345678901234567,9223372036854775807,-9223372036854775808],"a":{}})",
      R"([9223372036854775808, 1.5, -1e3, 1E+2, 0.1, 1e400, 1e-400, 1.0])",
      R"("\u0041\u00e9\u20ac\ud83d\ude00\"\\\/\b\f\n\r\t")",
      R"(["\ud83d", "\ude00", "\ud83dx", "\u12"])",
      R"(["\u12"34])",
      R"({"a":1,"a":2})",
      " \t\r\n [ ] ",
      "[1,]",
      "[1 2]",
      "{\"a\" 1}",
      "{,}",
      "{\"a\":}",
      "[",
      "{\"a\":[",
      "\"",
      "\"\\",
      "\"\\\"",
      "\"a\nb\"",
      "\"a\x7f b\"",
      "\"gr\xc3\xbc\xc3\x9f\"",
      "\"\xc3\"",
      "\"\xe0\x80\x80\"",
      "\"\xed\xa0\x80\"",
      "01",
      "-",
      "1.",
      ".5",
      "1e",
      "+1",
      "nul",
      "truefalse",
      "[true,false,null] x",
      "",
      "NaN",
      "\"\\x\"",
      "{\"\\u0061\":1,\"a\":2}",
  };
  for (const std::string_view text : kTexts) {
    CAPTURE(text);
    const Result<Value> fast = parse_json(text);
    const Result<Value> other = by_the_other(text);
    REQUIRE(fast.has_value() == other.has_value());
    if (fast) CHECK(*fast == *other);
  }
  const std::string deep = std::string(70, '[') + std::string(70, ']');
  CHECK(parse_json(deep).has_value() == by_the_other(deep).has_value());
}

TEST_CASE("items that others have written stand in their list as if they had not") {
  const Value whole{Map{{"list", List{1, "two", Map{{"three", List{3}}}, 4}}}};
  const auto by_parts = [](JsonWriter& out) {
    out.begin_object();
    out.key("list");
    out.begin_list();
    std::string first;
    std::string second;
    JsonWriter one = out.for_items([&first](std::string_view text) { first += text; });
    one.number(1);
    one.text("two");
    one.pass_on();
    JsonWriter none = out.for_items([&first](std::string_view text) { first += text; });
    none.pass_on();
    JsonWriter other = out.for_items([&second](std::string_view text) { second += text; });
    other.value(Map{{"three", List{3}}});
    other.pass_on();
    out.write_items(first);
    out.write_items("");
    out.write_items(second);
    out.number(4);
    out.end_list();
    out.end_object();
  };
  CHECK(written(JsonStyle::line, by_parts) == to_json(whole));
  CHECK(written(JsonStyle::pretty, by_parts) == to_json_pretty(whole));
}

}  // namespace
}  // namespace fabric
