// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "engine/base/random.hpp"
#include "engine/base/text.hpp"
#include "engine/report/diagnostics/text.hpp"
#include "engine/report/folding/findings.hpp"
#include "engine/report/folding/text_template.hpp"

#include "tests/support/catch.hpp"

namespace fabric::report {
namespace {

using Names = std::set<std::string, std::less<>>;

Names nodes(int count) {
  Names names{"hca0", "hca1", "storage", "backup"};
  for (int i = 1; i <= count; ++i)
    names.insert("n" + std::to_string(i));
  return names;
}

std::string n(int number) {
  return "n" + std::to_string(number);
}

TEST_CASE("findings that differ only in the node are one, with the node set", "[report]") {
  Diagnostics found;
  for (const int node : {10, 9, 8})
    found.warning("r", {FileId{1}, 4, 5}, n(node) + " is slow");
  found.find_names(nodes(10));
  const std::vector<FoldedFinding> folded = fold_findings(found);
  REQUIRE(folded.size() == 1);
  CHECK(folded[0].shown.message == "n[8-10] is slow");
  CHECK(folded[0].members == std::vector<std::size_t>{0, 1, 2});
  CHECK(folded[0].more_places.empty());
}

TEST_CASE("addresses of the nodes are read side by side with them", "[report]") {
  Diagnostics found;
  for (const int node : {1, 2, 3})
    found.warning("r", {}, n(node) + " has 10.0.0." + std::to_string(7 - node * 2))
        .with_help("address " + n(node) + " otherwise");
  found.find_names(nodes(3));
  const std::vector<FoldedFinding> folded = fold_findings(found);
  REQUIRE(folded.size() == 1);
  CHECK(folded[0].shown.message == "n[1-3] has 10.0.0.[5,3,1]");
  CHECK(folded[0].shown.help == "address n[1-3] otherwise");
}

TEST_CASE("all cards of all nodes are one finding, some cards of some nodes are not", "[report]") {
  Diagnostics found;
  for (int node = 1; node <= 20; ++node) {
    for (const std::string card : {"hca0", "hca1"}) {
      for (const std::string port : {"1", "2"})
        found.warning("r", {}, n(node) + "/" + card + "/" + port + " is bad");
    }
  }
  found.find_names(nodes(20));
  CHECK(fold_findings(found).size() == 1);
  CHECK(fold_findings(found)[0].shown.message == "n[1-20]/hca[0-1]/[1-2] is bad");
  found.warning("r", {}, "n21/hca0/1 is bad");
  found.find_names(nodes(21));
  const std::vector<FoldedFinding> folded = fold_findings(found);
  REQUIRE(folded.size() == 2);
  CHECK(folded[0].shown.message == "n[1-20]/hca[0-1]/[1-2] is bad");
  CHECK(folded[1].shown.message == "n21/hca0/1 is bad");
}

TEST_CASE("other numbers, rules, severities and helps are other findings", "[report]") {
  Diagnostics found;
  found.warning("r", {}, "n1 has mtu 9000");
  found.warning("r", {}, "n2 has mtu 1500");
  found.warning("r", {}, "n3 has mtu 1500");
  found.warning("other", {}, "n4 has mtu 1500");
  found.error("r", {}, "n5 has mtu 1500");
  found.warning("r", {}, "n6 has mtu 1500").with_help("say so");
  found.warning("r", {}, "n7 has mtu 1500").with_note({}, "here");
  found.warning("r", {}, "mtu 1");
  found.warning("r", {}, "mtu 2");
  found.find_names(nodes(9));
  const std::vector<FoldedFinding> folded = fold_findings(found);
  REQUIRE(folded.size() == 8);
  CHECK(folded[1].shown.message == "n[2-3] has mtu 1500");
}

TEST_CASE("nodes that each have a number of their own are one", "[report]") {
  Diagnostics found;
  for (int node = 1; node <= 4; ++node)
    found.warning("r", {}, n(node) + " has host number " + std::to_string(node + 10));
  found.find_names(nodes(4));
  REQUIRE(fold_findings(found).size() == 1);
  CHECK(fold_findings(found)[0].shown.message == "n[1-4] has host number [11-14]");
}

TEST_CASE("two findings at two ports are two, though each has a node of its own", "[report]") {
  Diagnostics found;
  found.warning("r", {}, "n1/hca0/1 to n2/hca0/1 joins port 1 to port 1");
  found.warning("r", {}, "n3/hca0/2 to n4/hca0/2 joins port 2 to port 2");
  found.find_names(nodes(4));
  CHECK(fold_findings(found).size() == 2);
}

TEST_CASE("long sets are cut, and say so", "[report]") {
  Diagnostics found;
  for (int node = 1; node < 200; ++node)
    found.warning("r", {}, n(node * node) + " is bad");
  found.find_names(nodes(200 * 200));
  const std::vector<FoldedFinding> folded = fold_findings(found);
  REQUIRE(folded.size() == 1);
  CHECK(folded[0].shown.message.size() < 80);
  CHECK(folded[0].shown.message.find(",...] is bad") != std::string::npos);
}

TEST_CASE("a folded finding shows its first place and names or counts the others", "[report]") {
  SourceMap sources;
  std::string text;
  for (int i = 1; i <= 6; ++i)
    text += n(i) + ": {}\n";
  const FileId file = sources.add("f.yaml", text);
  Diagnostics found;
  for (std::uint32_t i = 0; i < 6; ++i)
    found.warning("r", {file, i * 7, i * 7 + 2}, n(static_cast<int>(i) + 1) + " is slow");
  found.find_names(nodes(6));
  CHECK(diagnostics_text(found, sources, {}) == R"(warning[r]: n[1-6] is slow
 --> f.yaml:1:1
  |
1 | n1: {}
  | ^^
  = 6 findings: also at f.yaml:2:1, f.yaml:3:1, f.yaml:4:1 and 2 more places;
                --verbose shows each

)");
  Style verbose;
  verbose.verbose = true;
  CHECK(
      diagnostics_text(found, sources, verbose).str().find("warning[r]: n5 is slow\n") !=
      std::string::npos);
}

TEST_CASE("what only follows from a finding is counted there, unless it is worse", "[report]") {
  constexpr SourceRange kCause{FileId{1}, 0, 1};
  constexpr SourceRange kElsewhere{FileId{1}, 5, 6};
  Diagnostics found;
  found.error("cause", kCause, "there is no node 'n9x'");
  found.error("r", kElsewhere, "n1 has no port").because_of(kCause);
  found.warning("r", kElsewhere, "n2 has no port").because_of(kCause);
  found.warning("other", kElsewhere, "n3 is slow");
  found.error("r", {}, "n4 is slow").because_of(kElsewhere);
  found.error("r", {}, "n5 is slow").because_of({FileId{1}, 7, 8});
  found.find_names(nodes(5));
  const std::vector<FoldedFinding> folded = fold_findings(found);
  REQUIRE(folded.size() == 3);
  CHECK(folded[0].members == std::vector<std::size_t>{0});
  CHECK(folded[0].consequences == std::vector<std::size_t>{1, 2});
  CHECK(folded[1].members == std::vector<std::size_t>{3});
  // An error does not hide behind a warning; a cause that was never found hides nothing.
  CHECK(folded[2].members == std::vector<std::size_t>{4, 5});
}

TEST_CASE("a finding tells how many follow from it", "[report]") {
  SourceMap sources;
  const FileId file = sources.add("f.yaml", "a: b\n");
  Diagnostics found;
  found.error("cause", {file, 3, 4}, "there is no b");
  found.error("r", {}, "a is empty").because_of({file, 3, 4});
  CHECK(diagnostics_text(found, sources, {}) == R"(error[cause]: there is no b
 --> f.yaml:1:4
  |
1 | a: b
  |    ^
  = consequence: 1 finding follows from this one; --verbose shows each

)");
}

// Findings of a few shapes about random nodes, as chance has it.
Diagnostics random_findings(Random& random) {
  Diagnostics found;
  const auto number = [&](std::uint64_t below) {
    return static_cast<int>(random.below(below));
  };
  const int count = number(60);
  for (int i = 0; i < count; ++i) {
    const std::string node = n(number(6) + 1);
    const std::string card = number(2) == 0 ? "hca0" : "hca1";
    const std::string port = std::to_string(number(2) + 1);
    const SourceRange place{FileId{1}, static_cast<std::uint32_t>(number(4)), 5};
    const std::string rule = number(3) == 0 ? "one" : "two";
    const std::string message = number(2) == 0 ? node + "/" + card + "/" + port + " is bad"
                                               : "port " + port + " of " + node + " is bad";
    Diagnostic& item =
        number(4) == 0 ? found.error(rule, place, message) : found.warning(rule, place, message);
    if (number(5) == 0) item.with_help("look at " + node);
    if (number(8) == 0) item.because_of({FileId{1}, static_cast<std::uint32_t>(number(6)), 5});
  }
  found.sort();
  found.find_names(nodes(6));
  return found;
}

// All texts that a folded text can stand for: every set in it by every member of it.
void expand_sets(const std::string& text, std::set<std::string>& into) {
  const std::size_t open = text.find('[');
  if (open == std::string::npos) {
    into.insert(text);
    return;
  }
  const std::size_t close = text.find(']', open);
  const std::string inside = text.substr(open + 1, close - open - 1);
  for (const std::string_view part : split(inside, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = *parse_integer(part.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : *parse_integer(part.substr(dash + 1));
    for (auto value = first; value <= last; ++value)
      expand_sets(text.substr(0, open) + std::to_string(value) + text.substr(close + 1), into);
  }
}

TEST_CASE("folding loses no finding, makes none up and mixes nothing", "[report]") {
  Random random{20261125};
  std::size_t folded_away = 0;
  for (int round = 0; round < 400; ++round) {
    const Diagnostics found = random_findings(random);
    const std::vector<Diagnostic>& items = found.items();
    std::vector<int> seen(items.size(), 0);
    std::size_t before = 0;
    for (const FoldedFinding& folded : fold_findings(found)) {
      REQUIRE_FALSE(folded.members.empty());
      REQUIRE((before == 0 || folded.members.front() > before - 1));
      before = folded.members.front() + 1;
      std::set<SourceRange> places{folded.shown.range};
      places.insert(folded.more_places.begin(), folded.more_places.end());
      REQUIRE(places.size() == folded.more_places.size() + 1);
      std::set<std::string> meant;
      expand_sets(folded.shown.message, meant);
      for (const std::size_t member : folded.members) {
        const Diagnostic& item = items[member];
        ++seen[member];
        CHECK(item.rule == folded.shown.rule);
        CHECK(item.severity == folded.shown.severity);
        CHECK(item.help.empty() == folded.shown.help.empty());
        CHECK(places.contains(item.range));
        CHECK(meant.contains(item.message));
      }
      for (const std::size_t consequence : folded.consequences) {
        ++seen[consequence];
        CHECK(items[consequence].severity >= folded.shown.severity);
        CHECK(places.contains(items[consequence].cause));
      }
      folded_away += folded.members.size() - 1;
    }
    CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  }
  CHECK(folded_away > 1000);
}

TEST_CASE("what a folded text says of all with all is true of all with all", "[report]") {
  Random random{7};
  for (int round = 0; round < 400; ++round) {
    const Diagnostics found = random_findings(random);
    for (const FoldedFinding& folded : fold_findings(found)) {
      // Help names the node again, side by side with the message: no product.
      if (!folded.shown.help.empty()) continue;
      std::set<std::string> meant;
      std::set<std::string> there;
      expand_sets(folded.shown.message, meant);
      for (const std::size_t member : folded.members)
        there.insert(found.items()[member].message);
      CHECK(meant == there);
    }
  }
}

TEST_CASE("ten thousand nodes of eight cards are folded in a moment", "[report]") {
  Diagnostics found;
  for (int node = 1; node <= 10'000; ++node) {
    for (int card = 0; card < 8; ++card) {
      if (node == 77 && card == 3) continue;
      found.warning("r", {}, n(node) + "/hca" + std::to_string(card) + " is bad");
    }
  }
  Names names = nodes(10'000);
  for (int card = 0; card < 8; ++card)
    names.insert("hca" + std::to_string(card));
  const auto start = std::chrono::steady_clock::now();
  found.find_names(names);
  const std::vector<FoldedFinding> folded = fold_findings(found);
  const auto took = std::chrono::steady_clock::now() - start;
  REQUIRE(folded.size() == 2);
  CHECK(folded[0].shown.message == "n[1-76,78-10000]/hca[0-7] is bad");
  CHECK(folded[1].shown.message == "n77/hca[0-2,4-7] is bad");
  // A build for tests on a busy machine; quadratic would be minutes.
  CHECK(took < std::chrono::seconds{20});
}

TEST_CASE("a text is taken apart into what differs between nodes", "[report]") {
  const std::vector<std::string> names{"cx5", "pve1"};
  const TextTemplate apart =
      take_apart("pve1/cx5/2 has 10.0.0.7/24, fd00::7, 0000:03:00.0 and mtu 9000.", names);
  std::vector<std::string> fields;
  for (const TextField& field : apart.fields)
    fields.emplace_back(field.text);
  CHECK(
      fields == std::vector<std::string>{
                    "pve1", "cx5", "2", "10.0.0.7", "24", "fd00::7", "0000:03:00.0", "9000"});
  CHECK(
      put_together(apart.shape, fields) ==
      "pve1/cx5/2 has 10.0.0.7/24, fd00::7, 0000:03:00.0 and mtu 9000.");
  CHECK(shape_with_numbers(apart).find("mtu 9000.") != std::string::npos);
  CHECK(take_apart("pve10 is another", names).fields.empty());
}

TEST_CASE("numbers in names are ordered by value", "[report]") {
  CHECK(natural_less("n9", "n10"));
  CHECK_FALSE(natural_less("n10", "n9"));
  CHECK(natural_less("r1n10", "r2n1"));
  CHECK(natural_less("n01", "n1"));
  CHECK_FALSE(natural_less("n1", "n01"));
  CHECK_FALSE(natural_less("n1", "n1"));
  CHECK(natural_less("n", "n1"));
}

}  // namespace
}  // namespace fabric::report
