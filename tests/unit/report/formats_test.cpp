// SPDX-License-Identifier: Apache-2.0
#include "engine/report/formats.hpp"

#include "engine/report/plan/plan_text.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/report/sample_plan.hpp"

namespace fabric::report::test {

TEST_CASE("both drawings have the same formats, and findings those of a plan", "[report]") {
  CHECK(names_of(topology_formats()) == names_of(action_graph_formats()));
  CHECK(
      names_of(findings_formats()) ==
      std::vector<std::string>{"human", "json", "sarif", "junit", "github"});
  CHECK(
      names_of(plan_formats()) == std::vector<std::string>{
                                      "human",
                                      "json",
                                      "commands",
                                      "markdown",
                                      "markdown-small",
                                      "html",
                                      "sarif",
                                      "junit",
                                      "github"});
}

TEST_CASE("a plan's findings keep their place in every format, its text or not", "[report]") {
  plans::Plan plan = two_nodes();
  const auto slow = [&plan](const std::string& node, std::uint32_t line) {
    plan.diagnostics.push_back(
        {Severity::warning, "r", node + " is slow", "buy", {"a.yaml", line, 3}, node});
  };
  slow("pve1", 7);
  slow("pve3", 7);
  slow("pve4", 7);
  slow("pve2", 9);
  plan.diagnostics.push_back({Severity::warning, "r", "nobody is", "", {}});
  SourceMap sources;
  const Diagnostics findings = plan_findings(plan, sources);
  const PlanDocument document{&plan, findings, sources, "fabric plan"};
  const auto written = [&](std::string_view format) {
    return write_as(format, plan_formats(), document, {}).str();
  };
  CHECK(
      written("github") ==
      "::warning file=a.yaml,line=7,endLine=7,col=3,endColumn=3,title=r::pve1 is slow%0Ahelp: buy"
      "%0Aand 3 more: pve[2-4]\n"
      "::warning title=r::nobody is\n");
  CHECK(written("sarif").find("\"startLine\": 9") != std::string::npos);
  CHECK(written("sarif").find("pve4 is slow") != std::string::npos);
  CHECK(written("junit").find("a.yaml:7:3: pve4 is slow") != std::string::npos);
  CHECK(
      written("human").find("warning[r]: pve1 is slow (a.yaml:7)\n"
                            "    and 3 more: pve[2-4]\n"
                            "    help: buy\n") != std::string::npos);
}

TEST_CASE("where no plan could be made the findings are written, and no shell line", "[report]") {
  SourceMap sources;
  Diagnostics findings;
  findings.error("r", {}, "no");
  const PlanDocument document{nullptr, findings, sources, "fabric plan"};
  const auto written = [&](std::string_view format) {
    return write_as(format, plan_formats(), document, {}).str();
  };
  CHECK(written("json").find("\"actions\"") == std::string::npos);
  CHECK(written("json").find("\"diagnostics\"") != std::string::npos);
  CHECK(written("human") == "error[r]: no\n\n");
  CHECK(written("commands").empty());
}

TEST_CASE("no finding at all is a whole document too", "[report]") {
  const SourceMap sources;
  const Diagnostics findings;
  CHECK(
      write_as("junit", findings_formats(), {findings, sources, "fabric plan"}, {})
          .str()
          .find("<testcase classname=\"fabric\" name=\"valid\"/>") != std::string::npos);
}

}  // namespace fabric::report::test
