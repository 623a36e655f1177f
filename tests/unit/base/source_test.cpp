// SPDX-License-Identifier: Apache-2.0
#include "engine/base/source.hpp"

#include "engine/base/diagnostic.hpp"
#include "engine/base/text.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

TEST_CASE("a place in a text that is not at hand keeps file, line and column", "[base]") {
  SourceMap sources;
  const FileId read = sources.add("ring.yaml", "a: 1\nb: 2\n");
  const SourceRange first = sources.add_place("ring.yaml", {7, 3});
  const SourceRange second = sources.add_place("ring.yaml", {9, 1});
  const SourceRange other = sources.add_place("other.yaml", {1, 1});
  CHECK(first.file == second.file);
  CHECK(first.file != read);
  CHECK(other.file != first.file);
  CHECK(sources.path(first.file) == "ring.yaml");
  CHECK(sources.position(first.file, first.begin) == Position{7, 3});
  CHECK(sources.position(second.file, second.end) == Position{9, 1});
  CHECK(sources.has_text(read));
  CHECK_FALSE(sources.has_text(first.file));
  CHECK(sources.line(first.file, 7).empty());
  CHECK(sources.position(read, 5) == Position{2, 1});
}

TEST_CASE("a finding is about what is looked at, unless it says otherwise", "[base]") {
  Diagnostics found;
  found.error("r", {}, "of nothing");
  {
    const About ring{found, std::string{"ring"}};
    {
      const About node{found, *NodeName::parse("pve1")};
      found.error("r", {}, "of a node");
      found.warning("r", {}, "of its port").about({*NodeName::parse("pve1"), "cx5/1"});
      found.add({Severity::info, "r", {}, "of a node", {}, {}});
    }
    found.error("r", {}, "of a network");
  }
  found.error("r", {}, "of nothing again");
  std::vector<std::string> subjects;
  for (const Diagnostic& item : found.items()) {
    subjects.push_back(item.subject.str());
    CHECK(Subject::parse(item.subject.str()) == item.subject);
  }
  CHECK(subjects == std::vector<std::string>{"", "pve1", "pve1/cx5/1", "pve1", "ring", ""});
}

TEST_CASE("words that could be names end at anything that no name has", "[base]") {
  using Words = std::vector<std::string_view>;
  CHECK(name_words("pve1/cx5/1: not 'leaf2'.") == Words{"pve1", "cx5", "1", "not", "leaf2"});
  CHECK(name_words("a.b-c_d- .").front() == "a.b-c_d");
  CHECK(name_words("").empty());
  CHECK(name_words(" .-. ").empty());
}

}  // namespace
}  // namespace fabric
