// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/scalar.hpp"

#include <cmath>
#include <string>

#include "tests/support/catch.hpp"

namespace fabric::yaml {
namespace {

ScalarValue plain(std::string text) {
  Node node;
  node.kind = Kind::scalar;
  node.text = std::move(text);
  return interpret(node);
}

TEST_CASE("plain scalars are typed as YAML 1.2 core says", "[yaml]") {
  CHECK(plain("9000") == ScalarValue{std::int64_t{9000}});
  CHECK(plain("+7") == ScalarValue{std::int64_t{7}});
  CHECK(plain("-7") == ScalarValue{std::int64_t{-7}});
  CHECK(plain("010") == ScalarValue{std::int64_t{10}});
  CHECK(plain("0x8001") == ScalarValue{std::int64_t{0x8001}});
  CHECK(plain("0o17") == ScalarValue{std::int64_t{15}});
  CHECK(plain("28.40") == ScalarValue{28.4});
  CHECK(plain("1e3") == ScalarValue{1000.0});
  CHECK(plain("-.INF") == ScalarValue{-INFINITY});
  CHECK(plain("TRUE") == ScalarValue{true});
  CHECK(plain("false") == ScalarValue{false});
  CHECK(plain("~") == ScalarValue{std::monostate{}});
  for (const char* text :
       {"no", "y", "1_000", "0x", "-0x1F", "1.2.3", "tRue", "15m", "+", ".", "0b1", "1e"}) {
    INFO(text);
    CHECK(plain(text) == ScalarValue{std::string{text}});
  }
}

TEST_CASE("integers beyond 64 bits keep their magnitude", "[yaml]") {
  CHECK(std::get<double>(plain("99999999999999999999")) == Approx(1e20));
  CHECK(std::get<double>(plain("-99999999999999999999")) == Approx(-1e20));
  CHECK(std::get<double>(plain("0xfe80000000000000")) == Approx(1.8339e19).epsilon(0.001));
  CHECK(std::isinf(std::get<double>(plain("1e999"))));
  CHECK(std::get<double>(plain("1e-999")) == 0.0);
}

TEST_CASE("a quoted scalar is a text whatever it looks like", "[yaml]") {
  Node node;
  node.kind = Kind::scalar;
  node.quoted = true;
  node.text = "010";
  CHECK(interpret(node) == ScalarValue{std::string{"010"}});
}

TEST_CASE("scalars that YAML 1.1 and 1.2 take for different values are ambiguous", "[yaml]") {
  struct Case {
    const char* text;
    const char* why;
  };
  const auto example = GENERATE(
      Case{"no", "false to YAML 1.1 readers and a text to others"},
      Case{"ON", "true to YAML 1.1 readers and a text to others"},
      Case{"010", "8 to YAML 1.1 readers and 10 to others"},
      Case{"-010", "-8 to YAML 1.1 readers and -10 to others"},
      Case{"0190", "a text to YAML 1.1 readers and 190 to others"},
      Case{"1_000", "a number without its underscores to YAML 1.1 readers and a text to others"},
      Case{"11:22:33:44:55:55", "a number in base 60 to YAML 1.1 readers and a text to others"},
      Case{"0000:03:00.0", "a number in base 60 to YAML 1.1 readers and a text to others"},
      Case{"03:00.0", "a number in base 60 to YAML 1.1 readers and a text to others"},
      Case{"0b101", "a binary number to YAML 1.1 readers and a text to others"},
      Case{"-0x1F", "a hexadecimal number to YAML 1.1 readers and a text to others"},
      Case{"0o17", "a text to YAML 1.1 readers and an octal number to others"},
      Case{"2024-01-31", "a date to YAML 1.1 readers and a text to others"},
      Case{"1e3", "a text to YAML 1.1 readers and the number 1000 to others"},
      Case{"28.40", "read as the number 28.4"},
      Case{".5", "read as the number 0.5"});
  INFO(example.text);
  REQUIRE(ambiguity(example.text));
  CHECK(ambiguity(example.text)->why == example.why);
}

TEST_CASE("what every reader takes for the same value is not ambiguous", "[yaml]") {
  for (const char* text :
       {"",
        "y",
        "n",
        "Y",
        "N",
        "true",
        "null",
        "~",
        "0",
        "7",
        "-7",
        "9000",
        "0x8001",
        "192.0.2.11",
        "10.30.0.0/24",
        "16.35.4030",
        "11:22:33:44:55:66",
        "00:11:22:33:44:55",
        "0000:5e:00.0",
        "24:8a:07:11:22:33",
        "pve1/cx5/1",
        "15m",
        "1-32",
        "4.0-1.0.1.0",
        "fe80::1",
        "-",
        "+",
        ".",
        "802.3ad",
        "nono",
        "1/2",
        "5:",
        ":5"}) {
    INFO(text);
    CHECK_FALSE(ambiguity(text));
  }
}

}  // namespace
}  // namespace fabric::yaml
