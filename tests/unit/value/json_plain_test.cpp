// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>

#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

TEST_CASE("every character of a string is read wherever it stands") {
  for (int code = 0; code < 128; ++code) {
    for (std::size_t place = 0; place < 20; ++place) {
      std::string text(20, 'a');
      text[place] = static_cast<char>(code);
      const Result<Value> read = parse_json(to_json(Value{text}));
      INFO("character " << code << " at " << place);
      REQUIRE(read.has_value());
      CHECK(*read == Value{text});
    }
  }
}

TEST_CASE("a control character that is not escaped is refused wherever it stands") {
  for (std::size_t place = 0; place < 20; ++place) {
    std::string text(20, 'a');
    text[place] = '\x1f';
    CHECK_FALSE(parse_json("\"" + text + "\""));
  }
}

TEST_CASE("a string ends at the first quotation mark that no backslash belongs to") {
  CHECK(*parse_json(R"("a\\")") == Value{"a\\"});
  CHECK(*parse_json(R"("\"b\"")") == Value{"\"b\""});
  CHECK(*parse_json(R"(["\\\"", "c\\\\"])") == Value{List{"\\\"", "c\\\\"}});
  CHECK_FALSE(parse_json(R"("\")"));
  CHECK_FALSE(parse_json(R"("a\\\")"));
  CHECK_FALSE(parse_json(R"("a)"));
}

}  // namespace
}  // namespace fabric
