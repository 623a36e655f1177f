// SPDX-License-Identifier: Apache-2.0
// The platform of MLNX-OS and Onyx: lines at a prompt, and what came of them.
#include "providers/mlnx_os/machine/mlnxos_platform.hpp"

#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/catch.hpp"

namespace fabric::platform {
namespace {

const std::vector<Probe> kProbes{{"identity", "show version"}, {"sm", "show ib sm\n"}};

TEST_CASE("each probe of a switch is a question of its own that changes nothing", "[mlnxos]") {
  const remote::Step step = mlnxos_platform().probe_step(kProbes, "n", Duration{5000}, true);
  const auto& talk = std::get<remote::step::Converse>(step);
  CHECK(talk.lines == std::vector<std::string>{"show version", "show ib sm"});
  CHECK(talk.dialect.entry == std::vector<std::string>{"enable"});
  CHECK(talk.each_alone);
  CHECK(talk.fresh_session);
  CHECK_FALSE(remote::may_change(step));
}

TEST_CASE("a line that is refused is an answer, one that is missing is none", "[mlnxos]") {
  remote::StepResult result;
  result.replies = {
      {"Product name:      Onyx\r\nProduct release:   3.9.1014\nHost ID:           248A070B2960\n"},
      {"% Unrecognized command \"ib\".\n", true}};
  ProbeTexts texts;
  const auto outputs = mlnxos_platform().probe_outputs(kProbes, "n", result, texts);
  REQUIRE(outputs);
  CHECK(outputs->at("sm").exit_status == 1);
  NodeFacts facts{*NodeName::parse("leaf1"), {}, {}, {}, {}};
  for (const auto& [id, output] : *outputs)
    facts.probes[id] = output;
  const Identity identity = mlnxos_platform().identity(facts);
  CHECK(identity.machine_id == "248A070B2960");
  CHECK(identity.os_id == "onyx");
  CHECK(identity.os_version == "3.9.1014");
  CHECK(identity.boot_id.empty());

  result.replies.clear();
  result.output.standard_error = "% Unrecognized command \"enable\".\n";
  const auto none = mlnxos_platform().probe_outputs(kProbes, "n", result, texts);
  REQUIRE_FALSE(none);
  CHECK(
      none.error().message ==
      "probe identity was not answered: % Unrecognized command \"enable\".");
}

TEST_CASE("a command of a switch is one line in configuration mode", "[mlnxos]") {
  const remote::Step step =
      mlnxos_platform().command_step({{"interface", "ethernet", "1/7", "shutdown"}, {}});
  const auto& talk = std::get<remote::step::Converse>(step);
  CHECK(talk.lines == std::vector<std::string>{"interface ethernet 1/7 shutdown"});
  CHECK(talk.dialect.entry == std::vector<std::string>{"enable", "configure terminal"});
  CHECK_FALSE(talk.each_alone);
  CHECK(remote::may_change(step));
  CHECK_FALSE(mlnxos_platform().has_exit_status());
  CHECK(mlnxos_platform().rollback_timer() == nullptr);
}

TEST_CASE("the commands of an action on a switch are one session of configuration", "[mlnxos]") {
  const std::vector<std::string> lines{
      "lacp", "interface ethernet 1/7 mtu 9216 force", "no vlan 7"};
  const std::vector<remote::Step> steps = mlnxos_platform().conversations(lines, Duration{10'000});
  REQUIRE(steps.size() == 1);
  const auto& talk = std::get<remote::step::Converse>(steps.front());
  CHECK(talk.lines == lines);
  CHECK(talk.timeout == Duration{30'000});
  CHECK(mlnxos_platform().conversations({}, Duration{10'000}).empty());
  // A host has no prompt.
  CHECK(linux_platform().conversations(lines, Duration{10'000}).empty());
}

// What follows would be taken as said there: "vlan 4000" is no line of a port channel.
TEST_CASE("no session goes on in the mode that a line has entered", "[mlnxos]") {
  const std::vector<std::string> lines{
      "lacp",
      "interface port-channel 15",
      "interface port-channel 15 ipl 1",
      "vlan 4000",
      "interface vlan 4000",
      "no mlag shutdown"};
  std::vector<std::vector<std::string>> sessions;
  for (const remote::Step& step : mlnxos_platform().conversations(lines, Duration{10'000})) {
    const auto& talk = std::get<remote::step::Converse>(step);
    CHECK(talk.dialect.entry == std::vector<std::string>{"enable", "configure terminal"});
    sessions.push_back(talk.lines);
  }
  CHECK(
      sessions == std::vector<std::vector<std::string>>{
                      {"lacp", "interface port-channel 15"},
                      {"interface port-channel 15 ipl 1", "vlan 4000"},
                      {"interface vlan 4000"},
                      {"no mlag shutdown"}});
}

TEST_CASE("a session came by the management port where no other port has an address", "[mlnxos]") {
  NodeFacts facts{*NodeName::parse("leaf1"), {}, {}, {}, {}};
  const auto path = [&facts](const std::string& lines) {
    facts.probes[kOnyxRunningProbe] = {
        "show running-config", 0, "##\n## Running database \"initial\"\n##\n" + lines, ""};
    return mlnxos_platform().session_path(facts);
  };
  CHECK(mlnxos_platform().session_path(facts).unknown == "its platform can't tell");
  const SessionPath managed = path("   interface mgmt0 ip address 192.0.2.80 /24\n");
  CHECK(managed.unknown.empty());
  CHECK(managed.devices == std::set<std::string>{"mgmt0"});
  CHECK(
      path("   interface vlan 10 ip address 10.0.0.1 255.255.255.0\n").unknown ==
      "a port that carries traffic has an address (`interface vlan 10 ip address 10.0.0.1 "
      "255.255.255.0`)");
  CHECK_FALSE(path("interface ethernet 1/3 ip address 10.0.0.1 /24\n").unknown.empty());
  // Between a pair there is nobody else.
  CHECK(path("interface vlan 4000 ip address 192.168.255.253 255.255.255.252\n"
             "interface vlan 4000 ipl 1 peer-address 192.168.255.254\n")
            .unknown.empty());
  facts.probes[kOnyxRunningProbe] = {"show running-config", 0, "nothing of the kind\n", ""};
  CHECK_FALSE(mlnxos_platform().session_path(facts).unknown.empty());
}

}  // namespace
}  // namespace fabric::platform
