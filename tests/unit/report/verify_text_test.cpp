#include "engine/report/verify/verify_text.hpp"

#include "engine/report/verify/verify_json.hpp"
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
      {b, "ens1f1np1", "", verify::CounterState::unknown, {}, "its kernel shows none"}};
  report.findings = {
      {"cable-missing",
       Severity::error,
       "cable pve1/cx5/1 - pve2/cx5/2 is missing",
       "plug it in",
       {}}};
  return report;
}

}  // namespace

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
      "    help: plug it in\n"
      "\n"
      "Verify: 1 error.\n");
}

TEST_CASE("a finding stands at its line of the document", "[report]") {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", "a: 1\ncables: x\n");
  verify::Report report;
  report.findings = {{"path-lost", Severity::error, "no answer", "", {file, 5, 11}}};
  CHECK(
      verify_text(report, sources, {}).find("error[path-lost]: no answer (fabric.yaml:2:1)\n") !=
      std::string::npos);
}

TEST_CASE("verify as data says the same", "[report]") {
  CHECK(
      to_json(verify_json(broken())) ==
      R"({"cables":[{"detail":"no carrier at both ends","ends":["pve1/cx5/1","pve2/cx5/2"],"network":"storage","state":"missing"},)"
      R"({"ends":["pve2/cx5/2","pve1/cx5/1"],"network":"storage","state":"ok"}],)"
      R"("counters":[{"interface":"ens1f0np0","moved":[{"after":4,"before":1,"name":"rx_errors"}],"port":"pve1/cx5/1","state":"moved"},)"
      R"({"detail":"its kernel shows none","interface":"ens1f1np1","moved":[],"port":"pve2/cx5/2","state":"unknown"}],)"
      R"("failovers":[],)"
      R"("findings":[{"help":"plug it in","message":"cable pve1/cx5/1 - pve2/cx5/2 is missing","rule":"cable-missing","severity":"error"}],)"
      R"("flows":[],"managers":[],"ok":false,"paths":[{"address":"10.30.0.4","from":"pve1/cx5/1","full":"lost","interface":"ens1f0np0","mtu":9000,"network":"storage","small":"passed","to":"pve2/cx5/2"},)"
      R"({"address":"10.30.0.1","from":"pve2/cx5/2","full":"passed","interface":"ens1f1np1","mtu":9000,"network":"storage","small":"passed","to":"pve1/cx5/1"}]})");
}

}  // namespace fabric::report::test
