// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/parse.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/limits.hpp"
#include "engine/yaml/tree_builder.hpp"

#include "tests/support/catch.hpp"

namespace fabric::yaml {
namespace {

struct Parsed {
  SourceMap sources;
  FileId file;
  Diagnostics diagnostics;
  Node root;

  std::string_view at(SourceRange range) const {
    return std::string_view{sources.text(file)}.substr(range.begin, range.end - range.begin);
  }
  // The text of the first problem's place.
  std::string_view first_place() const { return at(diagnostics.items().at(0).range); }
};

Parsed read(std::string text) {
  Parsed parsed;
  parsed.file = parsed.sources.add("fabric.yaml", std::move(text));
  parsed.root = parse(parsed.sources, parsed.file, parsed.diagnostics);
  return parsed;
}

std::vector<std::string> rules(const Parsed& parsed) {
  std::vector<std::string> slugs;
  for (const Diagnostic& item : parsed.diagnostics.items())
    slugs.push_back(item.rule);
  return slugs;
}

using Slugs = std::vector<std::string>;

TEST_CASE("every key and scalar knows exactly the bytes that it was written with", "[yaml]") {
  struct Case {
    std::string_view text;
    std::string_view place;  // of the value of `a`
    std::string_view value;
    bool quoted;
  };
  const auto example = GENERATE(
      Case{"a: plain text # comment\nb: 1\n", "plain text", "plain text", false},
      Case{
          "a: over\n   two\n\n   lines\nb: 1",
          "over\n   two\n\n   lines",
          "over two\nlines",
          false},
      Case{"a: 'it''s'  \n", "'it''s'", "it's", true},
      Case{"a: \"x\\\"y\\n\" # c", "\"x\\\"y\\n\"", "x\"y\n", true},
      Case{"a: \"two\n  lines\"\nb: 1", "\"two\n  lines\"", "two lines", true},
      Case{"a: |\n  one\n    two\n\nb: 1", "|\n  one\n    two", "one\n  two\n", true},
      Case{"a: >-\n  one\n  two\n# c\nb: 1", ">-\n  one\n  two", "one two", true},
      Case{"a: |2\n    one\n  two\nb: 1", "|2\n    one\n  two", "  one\ntwo\n", true},
      Case{"a: |\nb: 1", "|", "", true},
      Case{"{a: x y , b: 1}", "x y", "x y", false},
      Case{"a: pve[1-4]/cx5/1\r\nb: 1\r\n", "pve[1-4]/cx5/1", "pve[1-4]/cx5/1", false},
      Case{
          "\xef\xbb\xbf"
          "a: after a byte order mark\n",
          "after a byte order mark",
          "after a byte order mark",
          false},
      Case{"b: \xc3\xa4\na: \xc3\xb6 x\n", "\xc3\xb6 x", "\xc3\xb6 x", false});
  INFO(example.text);
  const Parsed parsed = read(std::string{example.text});
  CHECK(rules(parsed).empty());
  const Node* value = parsed.root.find("a");
  REQUIRE(value != nullptr);
  CHECK(parsed.at(value->range) == example.place);
  CHECK(value->text == example.value);
  CHECK(value->quoted == example.quoted);
  CHECK(parsed.at(parsed.root.find_entry("a")->key_range) == "a");
}

TEST_CASE("a collection reaches from its first to its last byte", "[yaml]") {
  const Parsed parsed = read(
      "flow: [a, {b: c}, ]  # [\n"
      "block:\n"
      "  - x\n"
      "  - y: 1\n"
      "    z: [ 2 ,\n"
      "      3 ]   \n"
      "empty: {}\n"
      "pairs: [k: v, 'l': w]\n");
  CHECK(rules(parsed).empty());
  CHECK(parsed.at(parsed.root.find("flow")->range) == "[a, {b: c}, ]");
  CHECK(parsed.at(parsed.root.find("flow")->items.at(1).range) == "{b: c}");
  CHECK(parsed.at(parsed.root.find("block")->range) == "- x\n  - y: 1\n    z: [ 2 ,\n      3 ]");
  CHECK(parsed.at(parsed.root.find("block")->items.at(1).find("z")->range) == "[ 2 ,\n      3 ]");
  CHECK(parsed.at(parsed.root.find("empty")->range) == "{}");
  CHECK(parsed.at(parsed.root.find("pairs")->range) == "[k: v, 'l': w]");
  CHECK(parsed.at(parsed.root.find("pairs")->items.at(1).range) == "'l': w");
}

TEST_CASE("an empty value stands behind its key and a written null where it is", "[yaml]") {
  const Parsed parsed = read("a:\nb: ~\nc: # nothing\nd: null\n'null': x\n");
  CHECK(rules(parsed).empty());
  REQUIRE(parsed.root.entries.size() == 5);
  const auto range = [&](std::string_view key) {
    return parsed.root.find(key)->range;
  };
  CHECK(range("a").begin == parsed.root.find_entry("a")->key_range.end);
  CHECK(parsed.at(range("a")).empty());
  CHECK(parsed.at(range("b")) == "~");
  CHECK(parsed.at(range("c")).empty());
  CHECK(parsed.at(range("d")) == "null");
  for (const std::string_view key : {"a", "b", "c", "d"}) {
    CHECK(parsed.root.find(key)->kind == Kind::null);
  }
}

TEST_CASE("an empty list item stands at its dash", "[yaml]") {
  const Parsed parsed = read("- \n- a\n-\n");
  REQUIRE(parsed.root.items.size() == 3);
  CHECK(parsed.root.items[0].range == SourceRange{parsed.file, 0, 1});
  CHECK(parsed.root.items[2].range == SourceRange{parsed.file, 7, 8});
}

TEST_CASE(
    "a key that stands twice is reported with both places, also in large mappings", "[yaml]") {
  std::string text = "a: 1\n";
  const auto others = GENERATE(0, 100);
  for (int i = 0; i < others; ++i)
    text += "k" + std::to_string(i) + ": 1\n";
  text += "a: 2\n";
  const Parsed parsed = read(text);
  REQUIRE(rules(parsed) == Slugs{"duplicate-key"});
  const Diagnostic& finding = parsed.diagnostics.items()[0];
  CHECK(finding.range.begin == text.size() - 5);
  REQUIRE(finding.related.size() == 1);
  CHECK(finding.related[0].range == SourceRange{parsed.file, 0, 1});
  CHECK(parsed.root.find("a")->text == "1");
}

TEST_CASE("what other readers would take apart is refused at its place", "[yaml]") {
  struct Case {
    std::string_view text;
    std::string_view place;
    std::string_view message;
  };
  const auto example = GENERATE(
      Case{"a: &x 1\n", "&x", "anchors are not allowed"},
      Case{"a: &x\nb: 1\n", "&x", "anchors are not allowed"},
      Case{"a: *x\n", "*", "aliases are not allowed"},
      Case{"a: !secret b\n", "!secret", "tags are not allowed"},
      Case{"a: !!str\n", "!!str", "tags are not allowed"},
      Case{"<<: {a: 1}\n", "<<", "merge keys (<<) are not allowed"},
      Case{"a: 1\n---\nb: 2\n", "-", "a second document starts here"},
      Case{"a:\n\tb\n", "\t", "a tab cannot indent"},
      Case{"a:\n\tb: 1\n", "\t", "a tab cannot indent"},
      Case{"[a, b]: 1\n", "[a, b]", "a list cannot be a key"},
      Case{"null: 1\n", "null", "'null' cannot be a key"},
      Case{": 1\n", ":", "a key is missing here"},
      Case{"a: \xff\n", "\xff", "byte 0xff is not UTF-8"},
      Case{"a: \x04\n", "\x04", "control character 0x04 cannot stand in YAML"});
  INFO(example.text);
  const Parsed parsed = read(std::string{example.text});
  REQUIRE(rules(parsed) == Slugs{"yaml-syntax"});
  CHECK(parsed.first_place() == example.place);
  CHECK(parsed.diagnostics.items()[0].message == example.message);
}

TEST_CASE("an anchor and its alias are both refused, and the rest is read on", "[yaml]") {
  const Parsed parsed = read("a: &x {k: 1}\nb: *x\nc: 3\n");
  CHECK(rules(parsed) == Slugs{"yaml-syntax", "yaml-syntax"});
  CHECK(parsed.root.find("a")->find("k")->text == "1");
  CHECK(parsed.root.find("b")->kind == Kind::null);
  CHECK(parsed.root.find("c")->text == "3");
  CHECK_FALSE(parsed.root.cut_short);
}

TEST_CASE("a node set within brackets is named whole and told to be quoted", "[yaml]") {
  struct Case {
    std::string_view text;
    std::string_view set;
  };
  const auto example = GENERATE(
      Case{"{a: c[1-4]}", "c[1-4]"},
      Case{"{c[1-4]: x}", "c[1-4]"},
      Case{"a: [b, c[1-2]/1, d]", "c[1-2]/1"},
      Case{"x:\n  - {ends: [a[1-2]/1, \"b\"]}", "a[1-2]/1"},
      Case{"a: [n{i}/hca{r}/1, x]", "n{i}/hca{r}/1"},
      Case{"ipv4: {addresses: {pve1: 10.0.0.[1-4]}}", "10.0.0.[1-4]"});
  INFO(example.text);
  const Parsed parsed = read(std::string{example.text});
  REQUIRE(rules(parsed) == Slugs{"yaml-syntax"});
  CHECK(parsed.first_place() == example.set);
  const Diagnostic& finding = parsed.diagnostics.items()[0];
  CHECK(finding.message.find("must be quoted") != std::string::npos);
  CHECK(finding.help == "write \"" + std::string{example.set} + "\"");
}

TEST_CASE("a syntax error says what is wrong in the author's terms and where", "[yaml]") {
  struct Case {
    std::string_view text;
    std::uint32_t offset;
    std::string_view message;
  };
  const auto example = GENERATE(
      Case{"a: b: c", 4, "a ':' cannot stand here"},
      Case{"a: \"x\" y", 7, "unexpected text in a mapping"},
      Case{"a: - b", 3, "a list item cannot start here"},
      Case{"a: 'b\nc: d\n", 3, "this quote is never closed"},
      Case{"a: \"b\nc: d\n", 3, "this quote is never closed"},
      Case{"a: @b", 3, "a plain text cannot start with this character"},
      Case{"a: ]", 3, "a closing bracket without an opening one"},
      Case{"a: \"\\q\"", 4, "unknown escape in double quotes"});
  INFO(example.text);
  const Parsed parsed = read(std::string{example.text});
  REQUIRE(rules(parsed) == Slugs{"yaml-syntax"});
  CHECK(parsed.diagnostics.items()[0].message == example.message);
  CHECK(parsed.diagnostics.items()[0].range.begin == example.offset);
}

TEST_CASE("an unclosed bracket names where it was opened", "[yaml]") {
  const auto text = GENERATE(as<std::string>{}, "x: [a, b\ny: 2\n", "x: {a: b\ny: 2\n");
  INFO(text);
  const Parsed parsed = read(text);
  REQUIRE(rules(parsed) == Slugs{"yaml-syntax"});
  REQUIRE(parsed.diagnostics.items()[0].related.size() == 1);
  CHECK(parsed.diagnostics.items()[0].related[0].range.begin == 3);
}

TEST_CASE("what was read before a syntax error is kept", "[yaml]") {
  const Parsed parsed = read("a: 1\nb:\n  c: [2, 3\nd: 4\n");
  CHECK(rules(parsed) == Slugs{"yaml-syntax"});
  CHECK(parsed.root.cut_short);
  CHECK(parsed.root.find("a")->text == "1");
  CHECK(parsed.root.find("b")->find("c")->items.at(0).text == "2");
}

TEST_CASE("nesting beyond the limit is an error and no deep recursion", "[yaml]") {
  const auto opening = GENERATE(as<std::string>{}, "[", "{a: ", "- ");
  std::string text;
  for (int i = 0; i < 10'000; ++i)
    text += opening;
  const Parsed parsed = read(text);
  for (const Diagnostic& item : parsed.diagnostics.items())
    UNSCOPED_INFO(item.message);
  REQUIRE(rules(parsed).size() == 1);
  CHECK(
      parsed.diagnostics.items()[0].message ==
      "nested deeper than " + std::to_string(limits::kNestingDepth) + " levels");
}

TEST_CASE("an empty file and one of comments are an empty value without a problem", "[yaml]") {
  const auto text = GENERATE(as<std::string>{}, "", "# only a comment\n", "---\n", "\n\n");
  const Parsed parsed = read(text);
  CHECK(rules(parsed).empty());
  CHECK(parsed.root.kind == Kind::null);
  CHECK(parsed.root.range.file == parsed.file);
}

TEST_CASE("what would take too much is refused before it does, with its place", "[yaml]") {
  const std::size_t bytes = 2 * std::size_t{1024} * 1024;
  const auto repeated = [&](std::string_view piece) {
    std::string text;
    while (text.size() < bytes)
      text += piece;
    return text;
  };
  const auto first = [](const std::string& text) {
    const Parsed parsed = read(text);
    CHECK(parsed.root.cut_short);
    CHECK(parsed.diagnostics.items().size() <= limits::kSyntaxErrors + 1);
    return parsed.diagnostics.items().at(0).message;
  };
  CHECK(first("[" + repeated("b, ") + "b]\n").find("the value that begins here is too long") == 0);
  CHECK(
      first("{" + repeated("b: c, ") + "d: 1}\n").find("the value that begins here is too long") ==
      0);
  CHECK(first(repeated("[")).find("nested deeper") == 0);
  CHECK(first(repeated("{a: ")).find("nested deeper") == 0);
  CHECK(first(repeated("- ")).find("nested deeper") == 0);
  CHECK(first(repeated("? ")).find("nested deeper") == 0);
  CHECK(
      first(repeated("- a\n")).find("more values than a text of this length") != std::string::npos);
  CHECK(first(repeated("- &a b\n")) == "anchors are not allowed");
  CHECK(first(repeated("- *a\n")) == "aliases are not allowed");
  CHECK(first("a: \"" + std::string(limits::kYamlBytesHeld / 2, 'x')) == kOpenQuoteMessage);
  for (const std::string_view begin : {"a: \"", "a: ", "a: |\n  ", "# "}) {
    const std::string message = first(std::string{begin} + repeated("xyz "));
    CHECK(message.find("the value or comment that begins here has more than") == 0);
  }
}

TEST_CASE("a large text of the usual kind is read, and its last error found", "[yaml]") {
  std::string text = "nodes:\n";
  for (int i = 0; text.size() < 2 * limits::kCheckedFirstBytes; ++i) {
    text += "  node" + std::to_string(i) + ":\n    address: 192.0.2.1\n";
    text += "    adapters: {cx5: {model: connectx-5-vpi, ports: 2}}  # " + std::to_string(i) + "\n";
  }
  const Parsed whole = read(text);
  CHECK(rules(whole).empty());
  CHECK_FALSE(whole.root.cut_short);
  CHECK(whole.root.find("nodes")->entries.size() > 1000);
  const Parsed broken = read(text + "  nodeX: [1, 2\n");
  CHECK(broken.root.cut_short);
  CHECK(rules(broken) == std::vector<std::string>{"yaml-syntax"});
  CHECK(rules(read(text + "  node1: {}\n")) == std::vector<std::string>{"duplicate-key"});
}

}  // namespace
}  // namespace fabric::yaml
