// SPDX-License-Identifier: Apache-2.0
#include "engine/schema/schema.hpp"

#include <string>
#include <string_view>

#include "engine/schema/catalog.hpp"
#include "engine/schema/rule_set.hpp"

#include "tests/support/catch.hpp"

namespace fabric::schema {
namespace {

TEST_CASE("every schema that is compiled in loads", "[schema]") {
  // The schemas of documents. The others describe output and are other programs' to read.
  const Result<Schema> loaded = Schema::load(find_schema("fabric"));
  INFO((loaded ? std::string{} : loaded.error().message));
  REQUIRE(loaded);
  CHECK(loaded->root().string_or_empty("title") == "fabric document");
}

TEST_CASE("a schema outside the subset is refused with keyword and place", "[schema]") {
  struct Case {
    std::string_view text;
    std::string_view message;
  };
  const auto example = GENERATE(
      Case{R"({"not": {}})", "schema #: keyword 'not' is not in the subset"},
      Case{
          R"({"properties": {"a": {"dependentRequired": {}}}})",
          "schema #/properties/a: keyword 'dependentRequired' is not in the subset"},
      Case{R"({"type": "text"})", "schema #/type: not a type: text"},
      Case{R"({"$ref": "#/$defs/a"})", "schema #/$defs/a: there is no such definition"},
      Case{
          R"({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}})",
          "schema $ref: a definition refers to itself"},
      Case{R"({"items": 1})", "schema #/items: a schema must be an object"},
      Case{R"({"minItems": -1})", "schema #/minItems: a whole number from 0 expected"},
      Case{
          R"({"enum": [[1]]})",
          "schema #/enum: only texts, integers, booleans and null can be choices"},
      Case{
          R"({"propertyNames": {"type": "string"}})",
          "schema #/propertyNames: {\"pattern\": ...} expected"},
      Case{
          R"({"pattern": "^\\d$"})",
          "schema #/pattern: pattern '^\\d$': '\\d' is not in the subset"},
      Case{
          R"x({"pattern": "(?:a)"})x",
          "schema #/pattern: pattern '(?:a)': '(?' is not in the subset"});
  INFO(example.text);
  const Result<Schema> loaded = Schema::load(example.text);
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().code == ErrorCode::invalid);
  CHECK(loaded.error().message == example.message);
}

TEST_CASE("a definition may refer to itself through the values below it", "[schema]") {
  CHECK(Schema::load(
      R"({"$ref": "#/$defs/tree", "$defs": {"tree": {"items": {"$ref": "#/$defs/tree"}}}})"));
}

TEST_CASE("a pattern matches anywhere unless it is anchored, zero bytes included", "[schema]") {
  const Pattern anywhere = *Pattern::compile("\\[");
  CHECK(anywhere.matches("pve[1-4]"));
  CHECK_FALSE(anywhere.matches("pve"));
  const Pattern duration = *Pattern::compile("^[0-9]+(ms|s|m|h)$");
  CHECK(duration.matches("15m"));
  CHECK_FALSE(duration.matches("15m\n"));
  CHECK_FALSE(duration.matches(std::string_view{"15m\0x", 5}));
  CHECK_FALSE(duration.matches(""));
}

}  // namespace
}  // namespace fabric::schema
