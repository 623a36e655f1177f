// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "engine/yaml/printer.hpp"

#include "tests/support/catch.hpp"

namespace fabric::yaml {
namespace {

// "" if it was refused.
std::string formatted(const std::string& text) {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", text);
  Diagnostics diagnostics;
  const std::optional<Formatted> done = format(sources, file, diagnostics);
  CHECK(done.has_value() != diagnostics.has_errors());
  if (!done) return {};
  CHECK(done->is_same);
  return done->text;
}

Diagnostics refused(const std::string& text) {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", text);
  Diagnostics diagnostics;
  CHECK_FALSE(format(sources, file, diagnostics));
  REQUIRE(diagnostics.has_errors());
  for (const Diagnostic& item : diagnostics.items())
    CHECK(is_known(item.range));
  return diagnostics;
}

TEST_CASE("each level is two blanks further in", "[yaml]") {
  CHECK(
      formatted("a:\n    b:\n     - c\n     -   d: 1\n         e: 2\n") ==
      "a:\n  b:\n    - c\n    - d: 1\n      e: 2\n");
  CHECK(formatted("a:\n- b\n- - c\n  - d\n") == "a:\n  - b\n  - - c\n    - d\n");
  CHECK(formatted("a:\n  -\n    b: 1\n") == "a:\n  - b: 1\n");
}

TEST_CASE("blanks around what separates are one or none", "[yaml]") {
  CHECK(formatted("a :   {b:  [ c,d ,e ],  \"f\":1}\n") == "a: {b: [c, d, e], \"f\": 1}\n");
  CHECK(formatted("a: [ ]\nb: { }\nc: [x, ]\n") == "a: []\nb: {}\nc: [x]\n");
  CHECK(formatted("a:\tb   \n") == "a: b\n");
  CHECK(formatted("a: [? b, c]\n") == "a: [b: null, c]\n");
  CHECK(formatted("a: {b: , c}\n") == "a: {b: null, c}\n");
}

TEST_CASE("comments stay behind what they were behind, and above what they were above", "[yaml]") {
  CHECK(
      formatted("#one\na: 1   #two\nb:  # three\n   # four\n   c: 2\n") ==
      "# one\na: 1   # two\nb:  # three\n  # four\n  c: 2\n");
  CHECK(
      formatted("a:\n    b: 1\n    # of a\n# of c\nc: 2\n    # at the end\n") ==
      "a:\n  b: 1\n  # of a\n# of c\nc: 2\n# at the end\n");
  CHECK(formatted("- # one\n  a: 1\n") == "- # one\n  a: 1\n");
  CHECK(formatted("a:\n   # why\n   b\n") == "a:\n  # why\n  b\n");
  CHECK(formatted("#!x\n##y\n#\na: 1\n") == "#!x\n##y\n#\na: 1\n");
}

TEST_CASE("blank lines between things are at most one", "[yaml]") {
  CHECK(formatted("\n\na: 1\n\n\n\nb: 2\n   \n# c\n\n\n") == "a: 1\n\nb: 2\n\n# c\n");
}

TEST_CASE("quotes, block scalars and lines of a text keep what they say", "[yaml]") {
  CHECK(formatted("a: 'x'\nb: \"y\"\nc: \"no\"\n") == "a: 'x'\nb: \"y\"\nc: \"no\"\n");
  CHECK(
      formatted("a: |\n      x\n        y\n\n      z\n\n\nb: 1\n") ==
      "a: |\n  x\n    y\n\n  z\n\nb: 1\n");
  CHECK(formatted("a: |+\n   x\n\n\nb: 1\n") == "a: |+\n  x\n\n\nb: 1\n");
  CHECK(formatted("a: |2\n    x\n  y\n") == "a: |2\n    x\n  y\n");
  CHECK(formatted("a: >-\n x\n y\n") == "a: >-\n  x\n  y\n");
  CHECK(formatted("a: x\n      y\nb: \"p\n   q\\\n  r\"\n") == "a: x\n  y\nb: \"p\n  q\\\n  r\"\n");
  // Without a line's end in the file its value has none.
  CHECK(formatted("a: |\n  x") == "a: |-\n  x\n");
}

TEST_CASE("brackets over several lines stay over several lines", "[yaml]") {
  CHECK(
      formatted("a: [b, # one\n      c,\n      # two\n   d]\n") ==
      "a: [b, # one\n  c,\n  # two\n  d]\n");
  CHECK(
      formatted("a: {\n    b: 1,\n    c: [\n      x ] ,\n    }\n") ==
      "a: {\n  b: 1,\n  c: [\n    x],\n}\n");
}

TEST_CASE("marks of a document, its byte order mark and other line ends", "[yaml]") {
  CHECK(formatted("%YAML 1.2\n---  # doc\na: 1\n...\n") == "%YAML 1.2\n---  # doc\na: 1\n...\n");
  CHECK(formatted("---\n- a\n") == "---\n- a\n");
  CHECK(
      formatted("\xef\xbb\xbf"
                "a: 1\r\nb: |\r\n  x\r\n") == "a: 1\nb: |\n  x\n");
  CHECK(formatted("").empty());
  CHECK(formatted("# nothing\n") == "# nothing\n");
}

TEST_CASE("what is wrong is told with its place, and nothing is formatted", "[yaml]") {
  CHECK(refused("a: [b\n").items().front().rule == "yaml-syntax");
  CHECK(refused("a: &x b\n").items().front().rule == "yaml-syntax");
  CHECK(refused("a: 1\na: 2\n").items().front().rule == "duplicate-key");
  CHECK(refused("? a\n  b\n: 1\n").items().front().message.starts_with("a key over several lines"));
  // No reader takes what is longer before a colon, so it can't be written there.
  const std::string longest(1024, 'k');
  CHECK(
      refused("? k" + longest + "\n: 1\n").items().front().message ==
      "a key of more than 1024 bytes is not formatted: shorten it");
  CHECK(formatted("? " + longest + "\n: 1\n") == longest + ": 1\n");
  CHECK(refused("# x\r# y\na: 1\n").items().front().message.starts_with("a carriage return"));
}

}  // namespace
}  // namespace fabric::yaml
