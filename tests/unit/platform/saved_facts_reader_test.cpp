// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/saved_facts_reader.hpp"

#include <string>
#include <string_view>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

// Texts that are long enough to be remembered.
std::string script(std::string_view name) {
  std::string text{name};
  for (int line = 0; line < 20; ++line)
    text += "\nsay \"" + std::to_string(line) + "\"\t# gr\xc3\xbc\xc3\x9f";
  return text;
}

NodeFacts facts_of(std::string_view node, const std::string& answer) {
  NodeFacts facts{*NodeName::parse(node), {}, "SHA256:abc", "2026-11-20T10:12:27.123Z", {}};
  facts.probes["pci"] = {script("pci"), 0, answer, ""};
  facts.probes["mlxconfig"] = {
      script("mlxconfig"), 3, "-E- no device", script("error of " + answer)};
  return facts;
}

void check_equal(const Result<NodeFacts>& read, const NodeFacts& facts) {
  REQUIRE(read.has_value());
  CHECK(to_json_pretty(*read) == to_json_pretty(facts));
}

TEST_CASE("facts of many nodes are read as those of each", "[provider]") {
  TextPool pool;
  SavedFactsReader reader{pool};
  for (int number = 1; number < 20; ++number) {
    // Seven kinds of machines: some are met again, and some are forgotten before.
    const NodeFacts facts =
        facts_of("pve" + std::to_string(number), script("kind " + std::to_string(number % 7)));
    check_equal(reader.read(to_json_pretty(facts)), facts);
    check_equal(reader.read(to_json(*parse_json(to_json_pretty(facts)))), facts);
  }
}

TEST_CASE("a text that begins as one of another node is read to its end", "[provider]") {
  TextPool pool;
  SavedFactsReader reader{pool};
  for (const std::string& answer :
       {script("a"), script("a") + "more", script("a") + "\"", script("a").substr(0, 150)}) {
    const NodeFacts facts = facts_of("pve1", answer);
    check_equal(reader.read(to_json_pretty(facts)), facts);
  }
}

TEST_CASE("equal texts are kept once, whoever has read them", "[provider]") {
  TextPool pool;
  SavedFactsReader one{pool};
  SavedFactsReader other{pool};
  const auto first = one.read(to_json_pretty(facts_of("pve1", script("a"))));
  const auto second = one.read(to_json_pretty(facts_of("pve2", script("a"))));
  const auto third = other.read(to_json_pretty(facts_of("pve3", script("a"))));
  REQUIRE((first && second && third));
  CHECK(first->output("pci") == second->output("pci"));
  CHECK(first->output("pci") == third->output("pci"));
}

TEST_CASE("what is wrong with facts is said as where a tree is made of them", "[provider]") {
  const std::string good = to_json_pretty(facts_of("pve1", script("a")));
  const auto with = [&good](std::string_view from, std::string_view to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  };
  for (const std::string& text :
       {std::string{},
        std::string{"[]"},
        good + "x",
        good.substr(0, good.size() / 2),
        with("\"node\"", "\"nodes\""),
        with("\"1.0\"", "\"2.0\""),
        with("\"node\"", "\"host\": 1, \"host\": 2, \"node\""),
        with("\"pci\"", "\"mlxconfig\""),
        with("\"exit_status\": 3", "\"exit_status\": 256"),
        with("\"exit_status\": 3", "\"exit_status\": \"3\""),
        with("\"exit_status\": 3", "\"exit_status\": 3, \"exit_status\": 3"),
        with("\"exit_status\": 3,", ""),
        with("\"exit_status\": 3", "\"more\": [1]"),
        with("\"command\"", "\"commands\""),
        with("\"standard_error\"", "\"command\""),
        with("\"probes\": {", "\"probes\": [], \"others\": {"),
        with("SHA256", "\\ud83d"),
        with("SHA256", "\xff")}) {
    CAPTURE(text.substr(0, 300));
    const Result<Value> value = parse_json(text);
    const Result<NodeFacts> expected =
        value ? facts_from_value(*value) : Result<NodeFacts>{value.error()};
    TextPool pool;
    SavedFactsReader reader{pool};
    REQUIRE(reader.read(good).has_value());
    const Result<NodeFacts> read = reader.read(text);
    REQUIRE(read.has_value() == expected.has_value());
    if (read) {
      CHECK(to_json_pretty(*read) == to_json_pretty(*expected));
    } else {
      CHECK(read.error().message == expected.error().message);
    }
  }
}

}  // namespace
}  // namespace fabric
