// SPDX-License-Identifier: Apache-2.0
// What somebody has typed at a switch and not saved, told from what the document asks for.
#include "engine/model/switch_configuration.hpp"
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers::onyx {
namespace {

using test::node_facts;
using test::resource;

namespace whole_keys = switch_configuration;

std::string database(const std::string& kind, const std::string& lines) {
  return "##\n## " + kind + " database \"initial\"\n##\n" + lines;
}

Resource whole() {
  Resource made = resource(
      "leaf1/configuration/saved",
      {{std::string{whole_keys::kPorts}, List{"1/7", "1/8", "1/31"}},
       {std::string{whole_keys::kChannels}, List{std::int64_t{3}}},
       {std::string{whole_keys::kVlans}, List{std::int64_t{100}, std::int64_t{4000}}},
       {std::string{whole_keys::kPartitions}, List{"storage"}}},
      {});
  made.platform = Platform::mlnx_os;
  return made;
}

struct Told {
  std::vector<std::string> lines;
  std::vector<std::string> findings;
};

Told told(const std::string& running, const std::string& saved) {
  NodeFacts facts = node_facts(
      {{kRunningProbe, database("Running", running)},
       {kSavedProbe, database("Active saved", saved)}});
  facts.platform = Platform::mlnx_os;
  const Resource wanted = whole();
  Diagnostics diagnostics;
  const Observation seen =
      configuration_provider().observe({&wanted, 1}, facts, diagnostics).front();
  Told told;
  told.lines = ports_of(*seen.attributes.at(std::string{whole_keys::kForeign}).running->value());
  for (const Diagnostic& each : diagnostics.items())
    told.findings.push_back(each.message);
  return told;
}

TEST_CASE("what the document asks for is its own, saved or not", "[onyx]") {
  const Told nothing = told(
      "lacp\nip routing\nprotocol mlag\ninterface port-channel 7\ninterface port-channel 31 ipl 1\n"
      "interface ethernet 1/7-1/8 channel-group 7 mode active\ninterface mlag-port-channel 3\n"
      "vlan 100\nvlan 4000\ninterface vlan 4000 ipl 1 peer-address 192.168.255.254\n"
      "no mlag shutdown\nib sm virt enable\nib partition storage pkey 0x0012 force\n",
      "interface ethernet 1/8 shutdown\n");
  CHECK(nothing.lines.empty());
  CHECK(nothing.findings.empty());
  CHECK(told("vlan 7\n", "vlan 7\n").lines.empty());
}

TEST_CASE("what somebody else has typed and not saved is told, added or taken away", "[onyx]") {
  const Told found = told(
      "interface ethernet 1/70 mtu 9216 force\nvlan 10\nvlan 1001\n"
      "ib partition storage2 pkey 0x0013 force\ninterface port-channel 70\nlacp\n",
      "interface ethernet 1/1 shutdown\n");
  CHECK(
      found.lines == std::vector<std::string>{
                         "interface ethernet 1/70 mtu 9216 force",
                         "vlan 10",
                         "vlan 1001",
                         "ib partition storage2 pkey 0x0013 force",
                         "interface port-channel 70",
                         "no interface ethernet 1/1 shutdown"});
  CHECK(
      found.findings ==
      std::vector<std::string>{
          "leaf1 runs lines that are not saved and not part of this document: `interface "
          "ethernet 1/70 mtu 9216 force`, `vlan 10`, `vlan 1001`, 3 more"});
}

}  // namespace
}  // namespace fabric::providers::onyx
