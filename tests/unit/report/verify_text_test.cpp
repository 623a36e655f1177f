// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.hpp"
#include "engine/report/verify/verify_formats.hpp"
#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/report/sample_plan.hpp"

namespace fabric::report::test {

namespace {

verify::Report broken() {
  const PortRef a{name("pve1"), "cx5", "1"};
  const PortRef b{name("pve2"), "cx5", "2"};
  verify::Report report;
  report.cables = {
      {a, b, "storage", verify::CableState::missing, "no carrier at both ends", {}, false},
      {b, a, "storage", verify::CableState::ok, "", {}, false}};
  report.paths = {
      {{a, b, "storage", "ens1f0np0", "10.30.0.4", 9000},
       verify::Passage::passed,
       verify::Passage::lost,
       ""},
      {{b, a, "storage", "ens1f1np1", "10.30.0.1", 9000},
       verify::Passage::passed,
       verify::Passage::passed,
       ""}};
  report.counters = {
      {a, "ens1f0np0", "", verify::CounterState::moved, {{"rx_errors", 1, 4}}, ""},
      {b,
       "ens1f1np1",
       "",
       verify::CounterState::unknown,
       {},
       "its kernel has no counters for this port"}};
  report.findings = {
      {Severity::error,
       "cable-missing",
       {},
       "cable pve1/cx5/1 - pve2/cx5/2 is missing",
       "plug it in",
       {}},
      {Severity::error, "flow-failed", {}, "RDMA does not work", {}, {}}};
  report.cause_of = {{1, 0}};
  return report;
}

}  // namespace

TEST_CASE("a verify that judged nothing does not say that all is right", "[report]") {
  const auto last_line = [](const verify::Report& report) {
    const std::string text = verify_text(report, SourceMap{}, {}).str();
    const std::vector<std::string_view> lines = split_lines(text);
    return lines.empty() ? std::string{} : std::string{lines.back()};
  };
  const std::string kNothing = "no source that this level reads had an answer.";
  verify::Report report;
  CHECK(last_line(report) == "Verify: nothing was judged: " + kNothing);
  // A cable that nobody could tell of, and a ping that was not made.
  report.cables = {broken().cables[1]};
  report.cables[0].state = verify::CableState::no_data;
  report.paths = {broken().paths[1]};
  report.paths[0].small = verify::Passage::untested;
  CHECK(
      last_line(report) ==
      "Verify: nothing was judged (0 of 1 cables and 0 of 1 paths): " + kNothing);
  report.paths[0].small = verify::Passage::passed;
  CHECK(
      last_line(report) ==
      "Verify: the fabric is what the document says; 0 of 1 cables and 1 of 1 paths judged.");
}

TEST_CASE("verify shows cables, counts paths and ends with the findings", "[report]") {
  CHECK(
      verify_text(broken(), SourceMap{}, {}) ==
      "Cables  1 missing, 1 ok\n"
      "  missing   pve1/cx5/1 - pve2/cx5/2: no carrier at both ends\n"
      "  ok        pve2/cx5/2 - pve1/cx5/1\n"
      "Paths   1 of 2 pass with the full MTU, 1 only with small frames\n"
      "Errors  none new at 0 of 2 ports, new at 1, unknown at 1\n"
      "\n"
      "error[cable-missing]: cable pve1/cx5/1 - pve2/cx5/2 is missing\n"
      "  = help: plug it in\n"
      "\n"
      "1 more finding follows from these; --verbose lists it.\n"
      "Verify: 1 error; 2 of 2 cables and 2 of 2 paths judged.\n");
}

TEST_CASE("a consequence is shown to who asks for all", "[report]") {
  Style style;
  style.verbose = true;
  const std::string text = verify_text(broken(), SourceMap{}, style).str();
  CHECK(text.find("error[flow-failed]: RDMA does not work\n") != std::string::npos);
  CHECK(text.ends_with("\n\nVerify: 2 errors; 2 of 2 cables and 2 of 2 paths judged.\n"));
}

TEST_CASE("of many cables a few of each state are listed", "[report]") {
  verify::Report report = broken();
  report.findings.clear();
  report.cables.assign(30, report.cables.front());
  report.unexpected.assign(8, {"leaf1/1", "leaf2/1"});
  const auto lines_with = [&](const Style& style, std::string_view word) {
    const std::string text = verify_text(report, SourceMap{}, style).str();
    std::size_t lines = 0;
    for (const std::string_view line : split_lines(text))
      lines += line.starts_with(word) ? 1U : 0U;
    return lines;
  };
  CHECK(lines_with({}, "  missing ") == 6);
  CHECK(lines_with({}, "  missing   and 25 more (--verbose lists them)") == 1);
  CHECK(lines_with({}, "  unexpected ") == 6);
  CHECK(lines_with({}, "  unexpected and 3 more (--verbose lists them)") == 1);
  Style all;
  all.verbose = true;
  CHECK(lines_with(all, "  missing ") == 30);
  CHECK(lines_with(all, "  unexpected ") == 8);
}

TEST_CASE("of many flows the slowest are listed, and the line below them ends", "[report]") {
  verify::Report report;
  const PortRef a{name("pve1"), "cx5", "1"};
  const PortRef b{name("pve2"), "cx5", "2"};
  const verify::Flow flow{verify::Traffic::rdma, "storage", {a}, {b}};
  report.flows.assign(41, {flow, verify::FlowState::measured, 90.0, {}});
  const std::string text = verify_text(report, SourceMap{}, {}).str();
  CHECK(
      text.find("the slowest of 41 flows; --csv and --json have them all\n") != std::string::npos);
  CHECK(text.find("\\n") == std::string::npos);
}

TEST_CASE("a finding stands at its line of the document", "[report]") {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", "a: 1\ncables: x\n");
  verify::Report report;
  report.findings = {{Severity::error, "path-lost", {file, 5, 11}, "no answer", "", {}}};
  CHECK(
      verify_text(report, sources, {})
          .str()
          .find("error[path-lost]: no answer\n --> fabric.yaml:2:1\n") != std::string::npos);
}

TEST_CASE("verify as data says the same", "[report]") {
  CHECK(
      to_json(verify_json(broken(), SourceMap{})) ==
      R"({"cables":[{"detail":"no carrier at both ends","ends":["pve1/cx5/1","pve2/cx5/2"],"network":"storage","state":"missing"},)"
      R"({"ends":["pve2/cx5/2","pve1/cx5/1"],"network":"storage","state":"ok"}],)"
      R"("counters":[{"interface":"ens1f0np0","moved":[{"after":4,"before":1,"name":"rx_errors"}],"port":"pve1/cx5/1","state":"moved"},)"
      R"({"detail":"its kernel has no counters for this port","interface":"ens1f1np1","moved":[],"port":"pve2/cx5/2","state":"unknown"}],)"
      R"("failovers":[],)"
      R"("findings":[{"column":null,"file":null,"help":"plug it in","line":null,"message":"cable pve1/cx5/1 - pve2/cx5/2 is missing","related":[],"rule":"cable-missing","severity":"error"},)"
      R"({"cause":{"message":"cable pve1/cx5/1 - pve2/cx5/2 is missing","rule":"cable-missing"},"column":null,"file":null,"help":"","line":null,"message":"RDMA does not work","related":[],"rule":"flow-failed","severity":"error"}],)"
      R"("flows":[],"links":[],"managers":[],"ok":false,"paths":[{"address":"10.30.0.4","from":"pve1/cx5/1","full":"lost","interface":"ens1f0np0","mtu":9000,"network":"storage","small":"passed","to":"pve2/cx5/2"},)"
      R"({"address":"10.30.0.1","from":"pve2/cx5/2","full":"passed","interface":"ens1f1np1","mtu":9000,"network":"storage","small":"passed","to":"pve1/cx5/1"}],"roce_addresses":[]})");
}

}  // namespace fabric::report::test
