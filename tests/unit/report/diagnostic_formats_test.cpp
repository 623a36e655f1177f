// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <sstream>
#include <string>

#include "engine/report/diagnostics/ci.hpp"
#include "engine/report/diagnostics/text.hpp"
#include "engine/schema/schema.hpp"
#include "engine/schema/validate.hpp"
#include "engine/value/json.hpp"
#include "engine/yaml/parse.hpp"

#include "tests/support/catch.hpp"

namespace fabric::report {
namespace {

// Two findings with a place, one of them with everything that needs escaping, and one without.
struct Example {
  SourceMap sources;
  Diagnostics diagnostics;

  Example() {
    const FileId file = sources.add("./fabric dir/a,b.yaml", "name: x\nmtu: 9000\nmtu: 1500\n");
    sources.add("/repo/other.yaml", "");
    diagnostics.error("duplicate-key", {file, 18, 21}, "key 'mtu' <twice> & 100%\nreally")
        .with_help("remove one")
        .with_note({file, 8, 11}, "first: here, yes");
    diagnostics.warning("chain-port-order", {file, 0, 17}, "two lines");
    diagnostics.info("sm-missing", {}, "no place");
  }
};

TEST_CASE(
    "the JSON form has every member of the contract, null where there is no place", "[report]") {
  const Example example;
  const Value document = *parse_json(diagnostics_json(example.diagnostics, example.sources));
  const List& items = *document.find("diagnostics")->as_list();
  REQUIRE(items.size() == 3);
  CHECK(
      items[0] == Value{
                      Map{{"rule", "duplicate-key"},
                          {"severity", "error"},
                          {"message", "key 'mtu' <twice> & 100%\nreally"},
                          {"file", "./fabric dir/a,b.yaml"},
                          {"line", 3},
                          {"column", 1},
                          {"help", "remove one"},
                          {"related",
                           List{
                               Map{{"file", "./fabric dir/a,b.yaml"},
                                   {"line", 2},
                                   {"column", 1},
                                   {"message", "first: here, yes"}}}}}});
  CHECK(items[2].find("file")->is_null());
  CHECK(items[2].find("line")->is_null());
  CHECK(items[2].find("related")->as_list()->empty());
  CHECK(diagnostics_json(Diagnostics{}, example.sources) == "{\n  \"diagnostics\": []\n}\n");
}

TEST_CASE("GitHub annotations escape what would end them", "[report]") {
  const Example example;
  CHECK(
      diagnostics_github(example.diagnostics, example.sources, "/repo").str() ==
      "::error file=fabric dir/a%2Cb.yaml,line=3,endLine=3,col=1,endColumn=4,title=duplicate-key"
      "::key 'mtu' <twice> & 100%25\\nreally%0Afirst: here, yes (./fabric dir/a,b.yaml:2)%0Ahelp: "
      "remove one\n"
      "::warning file=fabric dir/a%2Cb.yaml,line=1,endLine=2,title=chain-port-order::two lines\n"
      "::notice title=sm-missing::no place\n");
}

TEST_CASE("JUnit has a suite per file, failures for errors only, and no raw markup", "[report]") {
  const Example example;
  CHECK(
      diagnostics_junit(example.diagnostics, example.sources, "fabric validate") ==
      R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="fabric validate" tests="5" failures="1" errors="0">
  <testsuite name="fabric" tests="2" failures="0" errors="0" skipped="0">
    <testcase classname="fabric" name="sm-missing">
      <system-out>no place</system-out>
    </testcase>
    <testcase classname="fabric" name="valid"/>
  </testsuite>
  <testsuite name="./fabric dir/a,b.yaml" tests="2" failures="1" errors="0" skipped="0">
    <testcase classname="./fabric dir/a,b.yaml" name="duplicate-key at 3:1">
      <failure message="key 'mtu' &lt;twice&gt; &amp; 100%\nreally" type="duplicate-key">./fabric dir/a,b.yaml:3:1: key 'mtu' &lt;twice&gt; &amp; 100%\nreally
./fabric dir/a,b.yaml:2:1: first: here, yes
help: remove one</failure>
    </testcase>
    <testcase classname="./fabric dir/a,b.yaml" name="chain-port-order at 1:1">
      <system-out>./fabric dir/a,b.yaml:1:1: two lines</system-out>
    </testcase>
  </testsuite>
  <testsuite name="/repo/other.yaml" tests="1" failures="0" errors="0" skipped="0">
    <testcase classname="/repo/other.yaml" name="valid"/>
  </testsuite>
</testsuites>
)");
}

std::string read_file(const std::string& path) {
  std::ifstream stream{path};
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST_CASE("SARIF fits the schema of the part that is written, whatever is reported", "[report]") {
  const schema::Schema sarif =
      *schema::Schema::load(read_file(FABRIC_SOURCE_DIR "/tests/schema/sarif.schema.json"));
  const auto check = [&](const Diagnostics& diagnostics, const SourceMap& sources) {
    SourceMap documents;
    const FileId file =
        documents.add("sarif", diagnostics_sarif(diagnostics, sources, {"0.1.0", "/repo"}));
    Diagnostics problems;
    const yaml::Node root = yaml::parse(documents, file, problems);
    schema::validate(root, sarif, problems);
    for (const Diagnostic& problem : problems.items())
      UNSCOPED_INFO(problem.message);
    CHECK(problems.empty());
  };
  const Example example;
  check(example.diagnostics, example.sources);
  check(Diagnostics{}, example.sources);
}

Value sarif_result(const Diagnostics& diagnostics, const SourceMap& sources, std::size_t index) {
  const Value document = *parse_json(diagnostics_sarif(diagnostics, sources, {"", "/repo"}));
  return document.find("runs")->as_list()->at(0).find("results")->as_list()->at(index);
}

TEST_CASE("SARIF names files relative to the checkout, as URIs", "[report]") {
  SourceMap sources;
  const FileId relative = sources.add("./fabric dir/a,b.yaml", "x");
  const FileId below = sources.add("/repo/sub/c.yaml", "x");
  const FileId outside = sources.add("/etc/d.yaml", "x");
  Diagnostics diagnostics;
  for (const FileId file : {relative, below, outside})
    diagnostics.error("r", {file, 0, 1}, "m");
  const auto artifact = [&](std::size_t index) {
    const Value result = sarif_result(diagnostics, sources, index);
    return *result.find("locations")
                ->as_list()
                ->at(0)
                .find("physicalLocation")
                ->find("artifactLocation");
  };
  CHECK(artifact(0) == Value{Map{{"uri", "fabric%20dir/a%2Cb.yaml"}, {"uriBaseId", "%SRCROOT%"}}});
  CHECK(artifact(1) == Value{Map{{"uri", "sub/c.yaml"}, {"uriBaseId", "%SRCROOT%"}}});
  CHECK(artifact(2) == Value{Map{{"uri", "file:///etc/d.yaml"}}});
}

TEST_CASE("a SARIF fingerprint survives moved lines and tells equal lines apart", "[report]") {
  const auto fingerprints = [](const std::string& text, std::vector<std::uint32_t> offsets) {
    SourceMap sources;
    const FileId file = sources.add("f.yaml", text);
    Diagnostics diagnostics;
    for (const std::uint32_t offset : offsets) {
      diagnostics.error("r", {file, offset, offset + 1}, "at " + std::to_string(offset));
    }
    std::vector<std::string> prints;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const Value result = sarif_result(diagnostics, sources, i);
      prints.push_back(result.find("partialFingerprints")->string_or_empty("fabricFinding/v1"));
    }
    return prints;
  };
  const auto before = fingerprints("a: 1\nb: 2\nb: 2\n", {5, 10});
  const auto after = fingerprints("# new\na: 1\n  b: 2\nb: 2\n", {13, 18});
  CHECK(before == after);
  CHECK(before[0] != before[1]);
}

}  // namespace
}  // namespace fabric::report
