// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/grouping.hpp"

#include <string>
#include <string_view>

#include "engine/report/diagnostics/text.hpp"

#include "tests/support/catch.hpp"

namespace fabric::report {
namespace {

constexpr SourceRange kHere{FileId{1}, 4, 5};
constexpr SourceRange kThere{FileId{1}, 6, 7};
constexpr SourceRange kElse{FileId{1}, 8, 9};

NodeName node(std::string_view name) {
  return *NodeName::parse(name);
}

std::string n(int number) {
  return "n" + std::to_string(number);
}

TEST_CASE("what one rule finds of many nodes at one place is one group", "[report]") {
  Diagnostics found;
  for (const int number : {10, 9, 8, 7})
    found.warning("r", kHere, n(number) + " is slow").about(node(n(number)));
  const std::vector<FindingGroup> groups = group_findings(found);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].members == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(others_text(groups[0], found) == "and 3 more: n[7-9]");
  CHECK(said_by_all(groups[0], found).who == "n[7-10]");
  CHECK(said_by_all(groups[0], found).what == "n[7-10] is slow");
  CHECK(single_findings(found).size() == 4);
  CHECK(others_text(single_findings(found)[0], found).empty());
}

TEST_CASE("nodes with names of their own are one group as well", "[report]") {
  Diagnostics found;
  for (const char* name : {"athena", "bacchus", "ceres"})
    found.error("r", kHere, "the card of " + std::string{name} + " is too old").about(node(name));
  const std::vector<FindingGroup> groups = group_findings(found);
  REQUIRE(groups.size() == 1);
  CHECK(others_text(groups[0], found) == "and 2 more: bacchus,ceres");
}

TEST_CASE("the same words of several nodes are said of all of them", "[report]") {
  Diagnostics found;
  for (const int number : {1, 2, 3})
    found.info("", {}, "rebooting").about(node(n(number)));
  const std::vector<FindingGroup> groups = group_findings(found);
  REQUIRE(groups.size() == 1);
  CHECK(said_by_all(groups[0], found).who == "n[1-3]");
  CHECK(said_by_all(groups[0], found).what == "rebooting");
}

TEST_CASE("ports are named where each node has the same, else their nodes are", "[report]") {
  const auto others = [](std::initializer_list<std::pair<int, const char*>> ports) {
    Diagnostics found;
    for (const auto& [number, part] : ports)
      found.warning("r", kHere, n(number) + "/" + part + " is dark").about({node(n(number)), part});
    const std::vector<FindingGroup> groups = group_findings(found);
    REQUIRE(groups.size() == 1);
    return others_text(groups[0], found);
  };
  CHECK(others({{1, "cx5/1"}, {2, "cx5/1"}, {3, "cx5/1"}}) == "and 2 more: n[2-3]/cx5/1");
  CHECK(
      others({{1, "cx5/1"}, {2, "cx5/1"}, {2, "cx5/2"}, {3, "cx5/1"}, {3, "cx5/2"}}) ==
      "and 4 more: n[2-3]/cx5/[1-2]");
  CHECK(others({{1, "cx5/1"}, {1, "cx5/2"}, {2, "cx5/1"}, {2, "cx5/2"}}) == "and 3 more: n[1-2]");
}

TEST_CASE("nodes on lines of their own are one group where only the node differs", "[report]") {
  Diagnostics found;
  found.error("r", kHere, "n1 is slow on port 1").about(node("n1"));
  found.error("r", kThere, "n2 is slow on port 1").about(node("n2"));
  found.error("r", kThere, "n3 is slow on port 2").about(node("n3"));
  const std::vector<FindingGroup> groups = group_findings(found);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].members == std::vector<std::size_t>{0, 1});
  CHECK(others_text(groups[0], found) == "and 1 more: n2");
  found.error("r", kHere, "the line is wrong");
  found.error("r", kThere, "the line is wrong");
  CHECK(group_findings(found).size() == 4);
}

TEST_CASE("nodes on lines of their own are one group for one other place", "[report]") {
  Diagnostics found;
  for (const int number : {127, 128, 129}) {
    found
        .error(
            "r",
            number == 127 ? kHere : kThere,
            n(number) + " would have number " + std::to_string(number))
        .about(node(n(number)))
        .with_note(kElse, "the subnet is given here");
  }
  CHECK(group_findings(found).size() == 1);
}

TEST_CASE("a path of the document names its node", "[report]") {
  Diagnostics found;
  found.error("r", kHere, "nodes.n1.a.ssh: expected a mapping").about(node("n1.a"));
  found.error("r", kThere, "nodes.n2.ssh: expected a mapping").about(node("n2"));
  found.error("r", kThere, "nodes.n22.ssh: expected a mapping").about(node("n2"));
  CHECK(group_findings(found).size() == 2);
}

TEST_CASE("another rule, severity, sentence or help is another group", "[report]") {
  Diagnostics found;
  const auto about = [&](int number) {
    return node(n(number));
  };
  found.warning("r", kHere, "n1 is slow").about(about(1));
  found.warning("other", kHere, "n3 is slow").about(about(3));
  found.error("r", kHere, "n4 is slow").about(about(4));
  found.warning("r", kHere, "n5 has no card").about(about(5));
  found.warning("r", kHere, "n6 is slow").about(about(6)).with_help("look at its slot");
  found.warning("r", kHere, "n7 is slow").about(about(7)).with_note({}, "since the boot");
  CHECK(group_findings(found).size() == 6);
}

TEST_CASE("addresses and numbers may differ, and the first is shown", "[report]") {
  Diagnostics found;
  for (const int number : {1, 2, 3})
    found.error("r", kHere, n(number) + " has 10.0.0." + std::to_string(number) + " twice")
        .about(node(n(number)));
  REQUIRE(group_findings(found).size() == 1);
  const SaidByAll said = said_by_all(group_findings(found)[0], found);
  CHECK(said.who == "n1 (and 2 more: n[2-3])");
  CHECK(said.what == "n1 has 10.0.0.1 twice");
}

TEST_CASE("what is said twice of one subject is two findings", "[report]") {
  Diagnostics found;
  for (const char* address : {"10.0.0.1", "10.0.1.1"}) {
    for (const int number : {1, 2})
      found.error("r", kHere, n(number) + " has " + address).about(node(n(number)));
  }
  const std::vector<FindingGroup> groups = group_findings(found);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].members == std::vector<std::size_t>{0, 1});
  CHECK(groups[1].members == std::vector<std::size_t>{2, 3});
}

TEST_CASE("findings without a subject are one only where all words are", "[report]") {
  Diagnostics found;
  found.error("r", kHere, "line 1 is wrong");
  found.error("r", kHere, "line 2 is wrong");
  found.error("r", kHere, "line 2 is wrong");
  const std::vector<FindingGroup> groups = group_findings(found);
  REQUIRE(groups.size() == 2);
  CHECK(others_text(groups[1], found) == "and 1 more");
}

TEST_CASE("what only follows from a finding is counted there, unless it is worse", "[report]") {
  constexpr SourceRange kElsewhere{FileId{1}, 8, 9};
  Diagnostics found;
  found.error("cause", kHere, "there is no node 'n9x'");
  found.error("r", kThere, "n1 has no port").because_of(kHere);
  found.warning("r", kThere, "n2 has no port").because_of(kHere);
  found.warning("other", kThere, "n3 is slow");
  found.error("r", {}, "n4 is slow").because_of(kThere);
  found.error("r", {}, "n5 is slow").because_of(kElsewhere);
  const std::vector<FindingGroup> groups = group_findings(found);
  REQUIRE(groups.size() == 4);
  CHECK(groups[0].members == std::vector<std::size_t>{0});
  CHECK(groups[0].consequences == std::vector<std::size_t>{1, 2});
  CHECK(consequences_text(groups[0]) == "2 findings follow from this one");
  // An error does not hide behind a warning; a cause that was never found hides nothing.
  CHECK(groups[1].members == std::vector<std::size_t>{3});
  CHECK(groups[2].members == std::vector<std::size_t>{4});
  CHECK(groups[3].members == std::vector<std::size_t>{5});
}

TEST_CASE("people see the first finding, how many more there are and what follows", "[report]") {
  SourceMap sources;
  const FileId file = sources.add("f.yaml", "a: b\n");
  const SourceRange place{file, 3, 4};
  Diagnostics found;
  for (int number = 1; number <= 12; ++number)
    found.error("cause", place, n(number) + " has no b").about(node(n(number)));
  found.error("r", {}, "a is empty").because_of(place);
  CHECK(diagnostics_text(found, sources, {}) == R"(error[cause]: n1 has no b
 --> f.yaml:1:4
  |
1 | a: b
  |    ^
  = and 11 more: n[2-12]; 1 finding follows from this one; --verbose shows each

)");
  Style verbose;
  verbose.verbose = true;
  CHECK(
      diagnostics_text(found, sources, verbose).str().find("error[cause]: n5 has no b\n") !=
      std::string::npos);
}

TEST_CASE("one wrong name of a set is one group, wherever it stands", "[report]") {
  Diagnostics found;
  int number = 0;
  for (const SourceRange& place : {kHere, kThere, kHere}) {
    ++number;
    found.error("node-unknown", place, "there is no node 'leaf" + std::to_string(number) + "'")
        .about(node("leaf" + std::to_string(number)))
        .with_help("did you mean 'laef" + std::to_string(number) + "'?");
  }
  found.error("node-unknown", kThere, "there is no node 'leaf1'")
      .about(node("leaf1"))
      .with_help("did you mean 'laef1'?");
  found.error("node-unknown", kThere, "there is no node 'spine1'")
      .about(node("spine1"))
      .with_help("did you mean 'spin1'?");
  const std::vector<FindingGroup> groups = group_findings(found);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].members == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(others_text(groups[0], found) == "and 3 more: leaf[1-3]");
}

TEST_CASE("what follows from what follows is counted at the first", "[report]") {
  constexpr SourceRange kMember{FileId{1}, 8, 9};
  Diagnostics found;
  found.error("profile-unknown", kHere, "there is no profile 'a'");
  found.error("port-unknown", kThere, "n1 has no adapter").because_of(kHere);
  found.error("partition-member-unknown", kMember, "n1 has no port").because_of(kThere);
  const std::vector<FindingGroup> groups = group_findings(found);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].consequences == std::vector<std::size_t>{1, 2});
}

TEST_CASE("long sets are cut, and say so", "[report]") {
  std::vector<std::string> names;
  for (int number = 1; number < 200; ++number)
    names.push_back(n(number * number));
  CHECK(short_set(names).size() < 70);
  CHECK(short_set(names).ends_with(",...]"));
}

// Grouping that compares each with each would take minutes of it.
TEST_CASE("thousands of nodes of eight cards are one group", "[report]") {
  Diagnostics found;
  for (int number = 1; number <= 4'000; ++number) {
    for (int card = 0; card < 8; ++card) {
      const std::string name = "hca" + std::to_string(card);
      found.warning("r", kHere, n(number) + "/" + name + " is bad").about({node(n(number)), name});
    }
  }
  const std::vector<FindingGroup> groups = group_findings(found);
  REQUIRE(groups.size() == 1);
  CHECK(others_text(groups[0], found) == "and 31999 more: n[1-4000]");
}

}  // namespace
}  // namespace fabric::report
