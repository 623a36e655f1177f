// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/failover/failover.hpp"

#include <fmt/format.h>

#include "engine/verify/verify.hpp"
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/found.hpp"
#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {
namespace {

std::vector<Diagnostic> failover_findings(
    const FabricSpec& spec, const std::vector<FailoverReport>& reports) {
  return found_by([&](Findings& findings) { add_failover_findings(spec, reports, findings); });
}

const platform::PathTests& by_linux() {
  return *platform::linux_platform().path_tests();
}

Failover failover(const std::string& policy = "802.3ad") {
  return {
      "storage",
      "bond0",
      policy,
      {*NodeName::parse("pve1"), "cx5", "1"},
      "ens1f0np0",
      {"ens1f1np1"},
      {"10.30.0.2"}};
}

// Replies of the numbers from 1 to 60 that are not between `lost_from` and `lost_to`.
std::string pings(int lost_from, int lost_to) {
  std::string text = "fabric-ping 10.30.0.2 PING 10.30.0.2 (10.30.0.2) 56(84) bytes of data.\n";
  int received = 0;
  for (int n = 1; n <= 60; ++n) {
    if (n >= lost_from && n <= lost_to) continue;
    ++received;
    text += fmt::format(
        "fabric-ping 10.30.0.2 64 bytes from 10.30.0.2: icmp_seq={} ttl=64 time=0.42 ms\n", n);
  }
  return text + fmt::format(
                    "fabric-ping 10.30.0.2 60 packets transmitted, {} received, 1% packet loss\n",
                    received);
}

std::string sent(const std::string& when, int first, int second) {
  return fmt::format(
      "fabric-sent {0} ens1f0np0 {1}\nfabric-sent {0} ens1f1np1 {2}\n", when, first, second);
}

FailoverReport report(const std::string& text, const std::string& policy = "802.3ad") {
  remote::StepResult result;
  result.output.standard_output = text;
  return judge_failover(failover(policy), by_linux().closing_answer(result));
}

const std::string kBothSend = sent("start", 100, 100) + sent("open", 140, 150);

TEST_CASE("a short gap is a fail-over that worked", "[verify]") {
  const FailoverReport passed = report(kBothSend + pings(20, 22) + "fabric-end\n");
  CHECK(passed.state == FailoverState::passed);
  CHECK(passed.sent == 60);
  CHECK(passed.received == 57);
  CHECK(passed.longest_gap == Approx(0.6));
  CHECK(passed.silent.empty());
  CHECK(failover_findings({}, {passed}).empty());
}

TEST_CASE("a port that is closed and loses frames for long is an error", "[verify]") {
  const std::vector<Diagnostic> findings =
      failover_findings({}, {report(kBothSend + pings(16, 40) + "fabric-end\n")});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "failover-failed");
  CHECK(
      findings[0].message ==
      "bond0 of pve1/cx5/1: no reply came from 10.30.0.2 for 5.0 s while it was closed; 25 of 60 "
      "replies are missing");
  // Also where no reply comes any more at all.
  CHECK(report(kBothSend + pings(20, 60) + "fabric-end\n").longest_gap == Approx(8.2));
  CHECK(
      report(kBothSend + pings(1, 60) + "fabric-end\n").detail ==
      "no reply from 10.30.0.2, whether or not the port was closed");
}

TEST_CASE("what could not be tried is neither passed nor quiet", "[verify]") {
  const FailoverReport down = report("fabric-untested ens1f1np1 is not up in bond0\n");
  CHECK(down.state == FailoverState::untested);
  CHECK(
      failover_findings({}, {down}).at(0).message ==
      "bond0 of pve1/cx5/1: ens1f1np1 is not up in bond0");
  CHECK(report(kBothSend + pings(0, 0)).detail == "the answer of the node was cut short");
  CHECK(report("").state == FailoverState::untested);
  const FailoverReport stays =
      report(kBothSend + "fabric-stays-down\n" + pings(0, 0) + "fabric-end\n");
  CHECK(stays.state == FailoverState::failed);
  CHECK(stays.detail == "ens1f0np0 did not come up again within 30 s");
}

TEST_CASE(
    "a document without a bond is told that there is nothing to try, and is not wrong",
    "[verify]") {
  const std::vector<Diagnostic> findings =
      failover_findings(ring(2), {nothing_to_fail_over(ring(2))});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "failover-untested");
  CHECK(findings[0].severity == Severity::info);
  // What the document has and nobody could try is incomplete.
  const Diagnostic down =
      failover_findings({}, {report("fabric-untested ens1f1np1 is not up in bond0\n")}).at(0);
  CHECK(down.rule == "failover-untested");
  CHECK(is_incomplete(down));
}

TEST_CASE(
    "ports whose cards kept their link are told once, and only where a port was closed",
    "[verify]") {
  const std::string text = kBothSend + "fabric-keeps-link\n" + pings(0, 0) + "fabric-end\n";
  const std::vector<Diagnostic> findings = failover_findings({}, {report(text), report(text)});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "failover-not-pulled");
  CHECK(findings[0].severity == Severity::info);
  CHECK(
      findings[0].message ==
      "2 ports were closed by the kernel alone, for example pve1/cx5/1: the card keeps its link, "
      "so "
      "the other end may not have noticed");
  CHECK(failover_findings({}, {report(kBothSend + pings(0, 0) + "fabric-end\n")}).empty());
}

TEST_CASE("flows that all go by one port are a warning", "[verify]") {
  const std::string text =
      sent("start", 100, 100) + sent("open", 180, 103) + pings(0, 0) + "fabric-end\n";
  const std::vector<Diagnostic> findings = failover_findings({}, {report(text)});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "failover-one-sided");
  CHECK(findings[0].severity == Severity::warning);
  CHECK(
      findings[0].message ==
      "bond0 of pve1 spreads flows by 802.3ad, but ens1f1np1 sent none of many flows while all "
      "ports "
      "were open");
  CHECK(failover_findings({}, {report(text, "active-backup")}).empty());
}

TEST_CASE("the script goes by standard input and takes names as arguments", "[verify]") {
  const remote::Step step = by_linux().close_port(closing_of(failover()));
  const remote::Command& command = std::get<remote::step::Run>(step).command;
  CHECK(command.argv == remote::Argv{"sh", "-s", "bond0", "ens1f0np0", "ens1f1np1", "10.30.0.2"});
  CHECK(command.standard_input.find("sleep 60; ip link set dev") != std::string::npos);
}

// Two managers on hosts, of which the first has the priority.
FabricSpec managed() {
  FabricSpec spec;
  NetworkSpec& network = spec.networks["ib"];
  network.name = "ib";
  network.mode.value = Mode::infiniband;
  for (const char* node : {"n1", "n2"}) {
    SubnetManagerPlacement placement{};
    placement.node.value = node;
    placement.priority.value = network.subnet_managers.empty() ? 10 : 5;
    network.subnet_managers.push_back(placement);
  }
  return spec;
}

ManagerReport manager(
    const char* node, const std::string& state, const std::string& master = "0x1") {
  return {"ib", {*NodeName::parse(node), "hca", "1"}, state, master, true};
}

FailoverReport stopped(const std::string& text) {
  const std::vector<ManagerFailover> tried =
      manager_failovers(managed(), {manager("n1", "master"), manager("n2", "standby")});
  REQUIRE(tried.size() == 1);
  CHECK(tried[0].stopping.name == "ib.hca.1");
  remote::StepResult result;
  result.output.standard_output = text;
  return judge_manager_failover(tried[0], by_linux().stopping_answer(result));
}

TEST_CASE("a master is stopped only where its standby lives", "[verify]") {
  const auto obstacles = [](const std::vector<ManagerReport>& managers) {
    std::vector<std::string> texts;
    for (const ManagerFailover& each : manager_failovers(managed(), managers))
      texts.push_back(each.failover.place() + " " + each.obstacle);
    return texts;
  };
  using Texts = std::vector<std::string>;
  CHECK(obstacles({manager("n1", "master"), manager("n2", "standby")}) == Texts{"n1/hca/1 "});
  CHECK(
      obstacles({manager("n1", "standby"), manager("n2", "none", "")}) ==
      Texts{"n1/hca/1 no manager of network ib is known to be master"});
  CHECK(
      obstacles({manager("n1", "none", ""), manager("n2", "master")}) ==
      Texts{"n2/hca/1 no other manager of network ib is standby"});
  // Two subnets: none of them has a standby.
  CHECK(
      obstacles({manager("n1", "master", "0x1"), manager("n2", "master", "0x2")}) ==
      Texts{
          "n1/hca/1 no other manager of network ib is standby",
          "n2/hca/1 no other manager of network ib is standby"});
}

TEST_CASE("a standby that does not take over, and a master that does not come back", "[verify]") {
  const FailoverReport passed =
      stopped("fabric-taken 38 0x2c903000e0b73\nfabric-again 4\nfabric-end\n");
  CHECK(passed.state == FailoverState::passed);
  CHECK(passed.detail == "0x2c903000e0b73 was master after 38 s");
  const FailoverReport alone = stopped("fabric-again 4\nfabric-end\n");
  CHECK(alone.state == FailoverState::failed);
  CHECK(
      failover_findings(managed(), {alone}).at(0).message ==
      "the subnet manager of n1/hca/1: no other manager became master within 90 s");
  CHECK(
      stopped("fabric-taken 3 0x2\nfabric-end\n").detail ==
      "0x2 has the lower priority and stays master: n1/hca/1 was not master again within 60 s");
  CHECK(
      stopped("fabric-taken 3 0x2\nfabric-stays-down\nfabric-end\n").state ==
      FailoverState::failed);
  CHECK(stopped("fabric-taken 3 0x2\n").state == FailoverState::untested);
  CHECK(stopped("fabric-untested sminfo is not installed\n").detail == "sminfo is not installed");
}

}  // namespace
}  // namespace fabric::verify::test
