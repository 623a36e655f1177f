// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/subnet/managers.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/found.hpp"
#include "tests/unit/verify/leaf_pair.hpp"

namespace fabric::verify::test {

TEST_CASE("a standby that the document wants for master is told", "[verify]") {
  FabricSpec spec = leaf_pair();
  for (const auto& [host, priority] : {std::pair{"c1", 15}, {"c2", 14}}) {
    SubnetManagerPlacement& placed = spec.networks.at("compute").subnet_managers.emplace_back();
    placed.node.value = host;
    placed.priority.value = priority;
  }
  const auto found = [&](const char* first, const char* second) {
    const std::vector<ManagerReport> managers{
        {"compute", host_port(1), first, "0x1", true},
        {"compute", host_port(2), second, "0x1", true}};
    return found_by([&](Findings& findings) { add_manager_findings(spec, managers, findings); });
  };
  const std::vector<Diagnostic> wrong = found("standby", "master");
  REQUIRE_FALSE(wrong.empty());
  CHECK(wrong.front().rule == "master-differs");
  CHECK(
      wrong.front().message ==
      "c2/hca/1 is master of network compute with priority 14 of the document, but c1/hca/1 with "
      "priority 15 is standby");
  const auto is_told = [](const std::vector<Diagnostic>& findings) {
    return std::any_of(findings.begin(), findings.end(), [](const Diagnostic& each) {
      return each.rule == "master-differs";
    });
  };
  CHECK_FALSE(is_told(found("master", "standby")));
  // It does not run, which is told otherwise.
  CHECK_FALSE(is_told(found("none", "master")));
}

TEST_CASE("a manager in place of the document's is told", "[verify]") {
  FabricSpec spec = leaf_pair();
  spec.networks.at("compute").subnet_managers.emplace_back().node.value = "c1";
  for (const bool foreign : {true, false}) {
    std::vector<ManagerReport> managers{{"compute", host_port(1), "master", "0x1", true}};
    managers.front().foreign = foreign;
    const auto findings =
        found_by([&](Findings& all) { add_manager_findings(spec, managers, all); });
    CHECK(std::count_if(findings.begin(), findings.end(), [](const Diagnostic& each) {
            return each.rule == "stray-manager" && each.severity == Severity::error;
          }) == (foreign ? 1 : 0));
  }
}

}  // namespace fabric::verify::test
