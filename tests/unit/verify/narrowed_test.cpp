// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/report/findings.hpp"
#include "engine/verify/verify.hpp"

#include "tests/support/catch.hpp"

namespace fabric::verify::test {

namespace {

Diagnostic finding(std::string rule, std::string message, Subject subject) {
  return {Severity::error, std::move(rule), {}, std::move(message), {}, {}, std::move(subject)};
}

std::vector<std::string> rules_for(const Report& report, const char* node) {
  std::vector<std::string> rules;
  for (const Diagnostic& each : narrowed(report, {NodeName::parse(node).value()}).findings)
    rules.push_back(each.rule);
  return rules;
}

}  // namespace

TEST_CASE("a report of some nodes has what is about them, whatever the words say", "[verify]") {
  Findings findings;
  findings.add(finding("of-nobody", "the subnet has no master", {}));
  const auto cause = findings.add(finding("of-one", "n1 is not reached, unlike n3", Subject{"n1"}));
  const auto pair =
      findings.add(finding("of-two", "no answer between n[1-2]", Subject{"n1"}), cause);
  findings.also_about(pair, "n2");
  const auto of_port = findings.add(finding("of-port", "a/1 is dark", Subject{"n2", "a/1"}));
  findings.also_about(of_port, "sw3");
  Findings::Linked linked = std::move(findings).link();
  Report report;
  report.findings = std::move(linked.findings);
  report.cause_of = std::move(linked.cause_of);
  report.nodes_of = std::move(linked.nodes_of);
  report.unexpected = {{"n2/a/1", "sw3/7"}, {"n22/a/1", "Quantum 7"}};

  using Rules = std::vector<std::string>;
  CHECK(rules_for(report, "n1") == Rules{"of-nobody", "of-one", "of-two"});
  CHECK(rules_for(report, "n2") == Rules{"of-nobody", "of-two", "of-port"});
  CHECK(rules_for(report, "n3") == Rules{"of-nobody"});
  CHECK(rules_for(report, "sw3") == Rules{"of-nobody", "of-port"});
  const Report of_n2 = narrowed(report, {NodeName::parse("n2").value()});
  CHECK(of_n2.cause_of.empty());
  CHECK(of_n2.nodes_of == decltype(report.nodes_of){{1, {"n2"}}, {2, {"sw3"}}});
  CHECK(of_n2.unexpected == std::vector<UnexpectedCable>{{"n2/a/1", "sw3/7"}});
}

}  // namespace fabric::verify::test
