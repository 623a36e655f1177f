// SPDX-License-Identifier: Apache-2.0
// What switches of many makers call themselves and their ports by LLDP.
#include "engine/discovery/evidence.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/leaves.hpp"

namespace fabric::verify::test {
namespace {

Neighbour told(
    const std::string& type, const std::string& id, const std::string& description = "") {
  Neighbour neighbour;
  neighbour.port_id_type = type;
  neighbour.port_id = id;
  neighbour.port_description = description;
  return neighbour;
}

TEST_CASE("the kind of an LLDP port id decides whether it names a port", "[verify]") {
  struct Case {
    const char *type, *id, *description, *port;
    discovery::Told verdict;
  };
  for (const Case& each :
       {Case{"ifname", "Eth1/7", "", "1/7", discovery::Told::same},
        Case{"ifname", "Ethernet1/8", "", "1/7", discovery::Told::other},
        Case{"ifname", "swp7", "", "7", discovery::Told::same},
        Case{"ifname", "swp3s0", "", "swp3s0", discovery::Told::same},
        Case{"ifname", "swp3s1", "", "swp3s0", discovery::Told::other},
        // A part of port 3 is not said to be port 3, nor not to be.
        Case{"ifname", "swp3s0", "", "3", discovery::Told::unknown},
        Case{"ifname", "swp3s0", "", "4", discovery::Told::other},
        // Lane 1 of port 3, or port 1 of module 3.
        Case{"ifname", "Ethernet3/1", "", "3", discovery::Told::unknown},
        Case{"ifname", "Ethernet3/1", "", "3/1", discovery::Told::same},
        Case{"ifname", "Ethernet3/1", "", "5", discovery::Told::other},
        // No cage has twenty lanes.
        Case{"ifname", "Ethernet1/20", "", "20", discovery::Told::same},
        Case{"ifname", "Ethernet1/2", "", "2", discovery::Told::unknown},
        // Ports of several kinds begin with 1 in one switch.
        Case{"ifname", "bridge/qsfp28-3-1", "", "3", discovery::Told::unknown},
        Case{"ifname", "sfp-sfpplus1", "", "1", discovery::Told::unknown},
        Case{"ifname", "bridge/ether5", "", "5", discovery::Told::unknown},
        // A MAC address names no port of a switch; the description may.
        Case{"mac", "aa:bb:cc:00:01:07", "", "7", discovery::Told::unknown},
        Case{"mac", "aa:bb:cc:00:01:07", "Eth1/7", "1/7", discovery::Told::same},
        Case{"mac", "aa:bb:cc:00:01:07", "Eth1/8", "1/7", discovery::Told::other},
        // A number of the vendor's own, as the index of an interface.
        Case{"local", "517", "", "7", discovery::Told::unknown},
        Case{"local", "7", "", "7", discovery::Told::unknown},
        Case{"local", "517", "GigabitEthernet1/0/7", "1/0/7", discovery::Told::unknown},
        Case{"local", "517", "Ethernet1/7", "1/7", discovery::Told::same},
        Case{"local", "Eth1/7", "", "1/7", discovery::Told::same},
        // SONiC: its alias counts ports, its own name lanes.
        Case{"local", "etp2", "Ethernet4", "2", discovery::Told::same},
        Case{"local", "etp3", "Ethernet8", "2", discovery::Told::other},
        Case{"ifname", "Ethernet8", "etp3", "3", discovery::Told::same},
        Case{"ifname", "Ethernet8", "etp3", "2", discovery::Told::other},
        Case{"local", "etp2a", "Ethernet4", "2", discovery::Told::unknown},
        Case{"local", "hundredGigE2", "Ethernet4", "2", discovery::Told::same},
        // What somebody wrote of his patch panel.
        Case{"mac", "aa:bb:cc:00:01:07", "port 12", "7", discovery::Told::unknown},
        Case{"ifname", "qsfp28-3-1", "", "qsfp28-3-1", discovery::Told::same},
        Case{"ifname", "xe-0/0/7:1", "", "7", discovery::Told::unknown},
        Case{"ifname", "100GE1/0/7", "", "1/7", discovery::Told::unknown},
        Case{"ifalias", "to the rack of pve1", "", "7", discovery::Told::unknown},
        Case{"ifalias", "rack", "Eth1/7", "1/7", discovery::Told::same}}) {
    CAPTURE(each.type, each.id, each.description, each.port);
    CHECK(
        discovery::compare_port(told(each.type, each.id, each.description), each.port) ==
        each.verdict);
  }
}

// Ports 1 of both hosts at ports 1 and 2 of leaf1, which calls itself and its ports so.
Report at_switch(
    const std::string& chassis,
    const std::string& first,
    const std::string& second,
    const std::string& system_name = "") {
  FabricSpec spec = leaves(2, Mode::ethernet);
  spec.nodes.at(leaf(1, 1).node).system_name.value = system_name;
  NetworkSpec& network = spec.networks.at("storage");
  std::erase_if(network.cables, [](const CableSpec& cable) {
    return cable.a.value.port != "1" || cable.a.value.adapter.empty();
  });
  discovery::Snapshot snapshot;
  int number = 0;
  for (const std::string& port : {first, second}) {
    ++number;
    snapshot.nodes.emplace(
        node(number),
        observed(
            number,
            link_state(number),
            lldp(
                R"({"name":"ens1f0np0","via":"LLDP","chassis":[{"id":[{"type":"mac","value":"aa:bb:cc:00:0f:01"}],"name":[{"value":")" +
                chassis + R"("}]}],"port":[{"id":[{"type":"ifname","value":")" + port +
                R"("}]}]})")));
  }
  return judge(spec, snapshot, {});
}

std::string states(const Report& report) {
  std::string text;
  for (const CableReport& cable : report.cables)
    text += (text.empty() ? "" : " ") + std::string{to_string(cable.state)};
  return text;
}

TEST_CASE("a port that can't be mapped is no data and is quoted", "[verify]") {
  CHECK(states(at_switch("leaf1", "swp1", "swp2")) == "ok ok");
  CHECK(states(at_switch("LEAF1.example.org", "swp1", "swp2")) == "ok ok");
  CHECK(states(at_switch("leaf1", "swp2", "swp1")) == "mis-wired mis-wired");
  for (const auto& [first, second] :
       {std::pair{"bridge/qsfp28-1-1", "bridge/qsfp28-2-1"}, {"Ethernet1/2", "Ethernet2/1"}}) {
    const Report report = at_switch("leaf1", first, second);
    CHECK(states(report) == "no-data no-data");
    CHECK(
        report.cables[0].detail == std::string{"pve1/cx5/1 hears leaf1 port "} + first +
                                       " by LLDP, and it is not known whether that is leaf1/1");
    const Diagnostic* finding = find(report, "cable-unproven");
    REQUIRE(finding != nullptr);
    CHECK(finding->help.find("write the port as the switch writes it") == 0);
  }
}

TEST_CASE("a switch that calls itself otherwise is not said to be another one", "[verify]") {
  for (const char* chassis : {"MikroTik", "rack3-tor"}) {
    const Report report = at_switch(chassis, "swp1", "swp2");
    CHECK(states(report) == "no-data no-data");
    CHECK(
        report.cables[0].detail ==
        std::string{"pve1/cx5/1 hears "} + chassis +
            " port swp1 by LLDP, and it is not known whether that is a name of leaf1");
    CHECK(states(at_switch(chassis, "swp1", "swp2", chassis)) == "ok ok");
    // It is known what leaf1 calls itself.
    CHECK(states(at_switch(chassis, "swp1", "swp2", "other")) == "mis-wired mis-wired");
  }
  // Another switch of the document is another one.
  CHECK(states(at_switch("leaf2", "swp1", "swp2")) == "mis-wired mis-wired");
}

}  // namespace
}  // namespace fabric::verify::test
