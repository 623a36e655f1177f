// SPDX-License-Identifier: Apache-2.0
// `fabric parse` of configuration files, bonds and RDMA tools.
#include "engine/provider/bond_faults.hpp"
#include "engine/value/json.hpp"
#include "providers/linux/kinds/interface/link_observer.hpp"
#include "providers/parsers.hpp"
#include "providers/parsers/proc_bonding.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

// JSON of what was read, or the message.
std::string parsed(const std::string& kind, const std::string& text) {
  for (const Parser& parser : parsers()) {
    if (parser.kind != kind) continue;
    const auto value = parser.parse(text);
    return value ? to_json(*value) : value.error().message;
  }
  return "no such kind";
}

struct Row {
  const char* kind;
  const char* text;
  const char* expected;
};

constexpr Row kRows[] = {
    {"interfaces",
     "auto lo bond0\n\niface bond0 inet static\n\tbond-slaves ens1 \\\n  ens2\n# a word\n  mtu "
     "9000\n",
     R"({"stanzas":[{"keyword":"auto","line":1,"words":["lo","bond0"]},)"
     R"({"keyword":"iface","line":3,"options":[{"key":"bond-slaves","line":4,"value":"ens1   ens2"},)"
     R"({"key":"mtu","line":7,"value":"9000"}],"words":["bond0","inet","static"]}]})"},
    {"interfaces", "auto lo\n  mtu 9000\n", "line 2: option 'mtu' belongs to no iface stanza"},
    {"interfaces", "iface\n", "line 1: 'iface' names nothing"},
    {"interfaces", "", R"({"stanzas":[]})"},
    {"ifcfg",
     "# bond\nDEVICE=bond0\nBONDING_OPTS=\"mode=4 miimon=100\" # fast\nMTU='9000'\n",
     R"({"values":{"BONDING_OPTS":"mode=4 miimon=100","DEVICE":"bond0","MTU":"9000"}})"},
    {"ifcfg", "DEVICE=bond0\nif true; then\n", "line 2: expected KEY=value, found 'if true; then'"},
    {"ifcfg", "DEVICE=\"bond0\n", "line 1: expected KEY=value, found 'DEVICE=\"bond0'"},
    {"networkd",
     "[Match]\nName=a \\\n  b\n; no\n[Match]\nName=c=d\n",
     R"({"sections":[{"entries":[{"key":"Name","line":2,"value":"a  b"}],"line":1,"name":"Match"},)"
     R"({"entries":[{"key":"Name","line":6,"value":"c=d"}],"line":5,"name":"Match"}]})"},
    {"networkd", "Name=a\n", "line 1: 'Name=a' stands before any section"},
    {"networkd", "[Match\n", "line 1: '[Match' is no section"},
    {"networkd", "[Match]\nName\n", "line 2: expected [Section] or Key=value, found 'Name'"},
    {"networkd", "[Match]\nName=a\\\n", "line 2: the file ends in the middle of a line"},
    {"networkd", "# nothing\n", "line 1: no section"},
    {"nm-keyfile",
     "[infiniband]\np-key=32784\n",
     R"({"sections":[{"entries":[{"key":"p-key","line":2,"value":"32784"}],"line":1,)"
     R"("name":"infiniband"}]})"},
    {"nm-keyfile", "[infiniband]\np-key=0x8010\n", "line 2: p-key '0x8010' is no decimal number"},
    {"netplan",
     "network:\n  version: 2\n  ethernets:\n    ens1: {mtu: 9000, optional: true}\n",
     R"({"network":{"ethernets":{"ens1":{"mtu":9000,"optional":true}},"version":2}})"},
    {"netplan", "- a\n", "line 1: no mapping 'network'"},
    {"ibstat",
     "CA 'mlx5_0'\n\tCA type: MT4123\n\tNode GUID: 0x043f720300cfef92\n\tPort 1:\n\t\tState: "
     "Active\n\t\tRate: 40 (FDR10)\n\t\tBase lid: 28\n\tPort 2:\n\t\tRate: 2.5\n",
     R"({"devices":[{"ca_type":"MT4123","name":"mlx5_0","node_guid":"0x043f720300cfef92","ports":[)"
     R"({"base_lid":28,"number":1,"rate":40,"rate_note":"FDR10","state":"Active"},)"
     R"({"number":2,"rate":2.5}]}]})"},
    {"ibstat", "", R"({"devices":[]})"},
    {"ibstat",
     "ibstat: cannot open\n",
     "line 1: expected CA 'NAME' or 'key: value', found 'ibstat: cannot open'"},
    {"ibstat", "Port 1:\n", "line 1: a port of no device"},
    {"ibstat", "CA 'a'\nNode GUID: none\n", "line 2: 'none' is no GUID"},
    {"ibv-devinfo",
     "hca_id:\tmlx5_bond_0\n\tnode_guid:\tf41d:6b03:006f:4743\n\tDevice ports:\n\t\tport:\t1\n"
     "\t\t\tstate:\tPORT_ACTIVE (4)\n\t\t\tactive_mtu:\t4096 (5)\n\t\t\tlink_layer:\tEthernet\n",
     R"({"devices":[{"name":"mlx5_bond_0","node_guid":"0xf41d6b03006f4743","ports":[)"
     R"({"active_mtu":4096,"link_layer":"Ethernet","number":1,"state":"PORT_ACTIVE"}]}]})"},
    {"ibv-devinfo", "No IB devices found\n", R"({"devices":[]})"},
    {"ibv-devinfo",
     "Failed to get IB devices list: Function not implemented\n",
     "line 1: expected 'hca_id:' or 'key: value', found 'Failed to get IB devices list: Function "
     "not implemented'"},
    {"rdma-link-json",
     R"([{},{"ifname":"mlx5_0","port":1,"lid":65535,"state":"DOWN"}])",
     R"({"links":[{"ifname":"mlx5_0","port":1,"state":"DOWN"}]})"},
    {"rdma-link-json", R"([{"ifname":"mlx5_0"}])", "line 1: link 1: it has no 'ifname' and 'port'"},
    {"proc-bonding", "Bonding Mode: none of these\n", "line 1: 'none of these' is no bonding mode"},
    {"proc-bonding", "MII Status: up\n", "line 1: 'Bonding Mode:' is missing"},
    {"proc-bonding",
     "Bonding Mode: load balancing (xor)\nMII Polling Interval (ms): often\n",
     "line 2: 'often' of 'MII Polling Interval (ms)' is no number"},
    {"ip-link-json",
     R"([{"ifname":"bond0.100","link":"bond0","mtu":9000,"linkinfo":{"info_kind":"vlan",)"
     R"("info_data":{"id":100}}}])",
     R"({"links":[{"address":"","addresses":[],"admin_up":false,"below":"bond0","index":0,)"
     R"("info":{"id":100},"kind":"vlan","link_type":"","mtu":9000,"name":"bond0.100",)"
     R"("operstate":""}]})"},
};

TEST_CASE("configuration files and tools are read, or refused with a line", "[providers]") {
  for (const Row& row : kRows) {
    INFO(row.kind << ": " << row.text);
    CHECK(parsed(row.kind, row.text) == row.expected);
  }
}

TEST_CASE("no prefix of a good text makes a parser fall over", "[providers]") {
  for (const Row& row : kRows) {
    const std::string text = row.text;
    for (std::size_t length = 0; length <= text.size(); ++length)
      CHECK_FALSE(parsed(row.kind, text.substr(0, length)).empty());
  }
}

TEST_CASE("a bond is read with its slaves and what LACP says", "[providers]") {
  const auto bond = parse_proc_bonding(test::fixture("proc-bonding-no-partner.txt"));
  REQUIRE(bond);
  CHECK(bond->mode == "802.3ad");
  CHECK(bond->hash_policy == "layer3+4");
  CHECK(bond->miimon == 100);
  REQUIRE(bond->aggregator.has_value());
  CHECK(bond->aggregator->ports == 1);
  REQUIRE(bond->slaves.size() == 2);
  CHECK(bond->slaves[0].speed_mbps == 100000);
  CHECK(bond->slaves[0].actor_state == 77);
  CHECK(bond->slaves[0].partner_state == 1);
  CHECK_FALSE(bond->slaves[1].speed_mbps.has_value());
  const std::vector<BondAilment> expected{
      {bond_faults::kPartner,
       "LACP is up but nothing is aggregated: no partner answers (partner MAC address "
       "00:00:00:00:00:00)"},
      {bond_faults::kAggregation, "the active aggregator has 1 of 2 slaves"},
      {bond_faults::kAggregation, "LACP on slave enp1s0f0np0 did not become stable (churned)"},
      {bond_faults::kAggregation,
       "slave enp1s0f0np0 works with assumed values of its partner (LACP state 77)"},
      {bond_faults::kAggregation,
       "slave enp1s0f1np1 is in aggregator 2 and not in 1: they are not one link"}};
  CHECK(bond_ailments(*bond) == expected);
}

TEST_CASE("a healthy bond has no ailment, one without link watch has", "[providers]") {
  auto bond = parse_proc_bonding(test::fixture("proc-bonding-healthy.txt"));
  REQUIRE(bond);
  CHECK(bond->mode == "active-backup");
  CHECK(bond->note == "fail_over_mac active");
  CHECK(bond->primary == "ib0");
  CHECK(bond_ailments(*bond).empty());
  bond->miimon = 0;
  bond->slaves[0].mii_status = "down";
  CHECK(
      bond_ailments(*bond) ==
      std::vector<BondAilment>{
          {bond_faults::kLink, "slave ib0 is down"},
          {bond_faults::kSetting, "miimon is 0: a failed link is never noticed"}});
}

}  // namespace
}  // namespace fabric::providers
