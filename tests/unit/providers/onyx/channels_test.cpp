// SPDX-License-Identifier: Apache-2.0
// Members of a port channel that LACP leaves out, by the switch's own table.
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers::onyx {
namespace {

using test::node_facts;
using test::resource;

constexpr const char* kLegend =
    "\nFlags: D - Down, U - Up, P - Up in port-channel (members)\n"
    "       S - Suspend in port-channel (members), I - Individual\n"
    "Group Port-      Type       Member Ports\nChannel\n";

std::vector<std::string> findings(const char* probe, const std::string& answer, List ports) {
  NodeFacts facts = node_facts({{probe, answer}});
  facts.platform = Platform::mlnx_os;
  Resource bond = resource("leaf1/bond/bond7", {{"switch_ports", std::move(ports)}}, {});
  bond.platform = Platform::mlnx_os;
  Diagnostics diagnostics;
  bond_provider().observe({&bond, 1}, facts, diagnostics);
  std::vector<std::string> texts;
  for (const Diagnostic& each : diagnostics.items()) {
    CHECK(each.rule == "bond-not-aggregated");
    CHECK(each.severity == Severity::warning);
    texts.push_back(each.message);
  }
  return texts;
}

TEST_CASE("a member that LACP leaves out of its channel is told, and why", "[onyx]") {
  const std::string table = std::string{kLegend} +
                            "1 Po7(U)         LACP       Eth1/7(P) Eth1/8(S) Eth1/9(S)\n"
                            "2 Po10(D)        LACP       Eth1/10(I) Eth1/11(D)\n";
  CHECK(
      findings(kChannelsProbe, table, {"1/7", "1/8", "1/9"}) ==
      std::vector<std::string>{
          "leaf1: bond7: ports 1/8, 1/9 are suspended (LACP hears another partner, key or speed "
          "there)"});
  // A port without a link is no matter of LACP, and other channels are others'.
  CHECK(
      findings(kChannelsProbe, table, {"1/10", "1/11"}) ==
      std::vector<std::string>{"leaf1: bond7: port 1/10 is individual (no LACP is heard there)"});
  CHECK(findings(kChannelsProbe, table, {"1/7"}).empty());
}

TEST_CASE("what a switch looks at to spread frames is read where somebody has set it", "[onyx]") {
  const auto balance = [](const std::string& lines) {
    NodeFacts facts = node_facts(
        {{kRunningProbe, "##\n## Running database \"initial\"\n## Hostname: leaf1\n##\n" + lines}});
    facts.platform = Platform::mlnx_os;
    Resource bond = resource("leaf1/bond/bond7", {{"switch_ports", List{"1/7"}}}, {});
    bond.platform = Platform::mlnx_os;
    Diagnostics diagnostics;
    const auto observed = bond_provider().observe({&bond, 1}, facts, diagnostics);
    const auto found = observed.front().attributes.find("balance");
    return found == observed.front().attributes.end() ? "" : found->second.running->text();
  };
  CHECK(
      balance("lacp\nport-channel load-balance ethernet source-destination-ip flow-label\n") ==
      "source-destination-ip flow-label");
  CHECK(balance("lacp\ninterface port-channel 7\n").empty());
}

TEST_CASE("of a channel over a pair only this switch's ports are its own", "[onyx]") {
  const std::string table = std::string{kLegend} +
                            "1 Mpo7(P)          LACP     Eth1/7(P)                 Eth1/7(S)\n"
                            "2 Mpo8(D)          LACP     Eth1/8(I)                 N/A\n";
  CHECK(findings(kPairChannelsProbe, table, {"1/7"}).empty());
  CHECK(
      findings(kPairChannelsProbe, table, {"1/8"}) ==
      std::vector<std::string>{"leaf1: bond7: port 1/8 is individual (no LACP is heard there)"});
}

TEST_CASE("a table of channels that can't be read accuses nobody", "[onyx]") {
  for (const char* answer :
       {"% Unrecognized command \"port-channel\".\n",
        "1 Po7(U)         LACP       Eth1/7(S)\n",
        "Flags: D - Down\n1 Po7(U)         LACP       Eth1/7(S) Eth1/8(?)\n"}) {
    CHECK(findings(kChannelsProbe, answer, {"1/7", "1/8"}).empty());
  }
}

}  // namespace
}  // namespace fabric::providers::onyx
