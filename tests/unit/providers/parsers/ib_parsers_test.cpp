// SPDX-License-Identifier: Apache-2.0
// ibnetdiscover, iblinkinfo and sminfo: what they print, lost parts of it, and what they print
// beside it.
#include <string>

#include "engine/value/json.hpp"
#include "providers/infiniband/parsers/iblinkinfo.hpp"
#include "providers/infiniband/parsers/ibnetdiscover.hpp"

#include "tests/support/catch.hpp"

namespace fabric::providers {
namespace {

// Two hosts at one switch; port 3 of it goes to itself.
constexpr const char* kSubnet =
    "#\n"
    "# Topology file: generated on Mon Nov 16 10:00:00 2026\n"
    "#\n"
    "# Initiated from node 00aa000000000100 port 00aa000000000101\n"
    "\n"
    "vendid=0x2c9\n"
    "devid=0xd2f0\n"
    "sysimgguid=0xaa000000000200\n"
    "switchguid=0xaa000000000200(aa000000000200)\n"
    "Switch\t41 \"S-00aa000000000200\"\t\t# \"MF0;leaf1:MQM8700/U1\" enhanced port 0 lid 3 lmc 0\n"
    "[1]\t\"H-00aa000000000100\"[1](aa000000000101) \t\t# \"node1 HCA-1\" lid 1 4xHDR\n"
    "[2]\t\"H-00aa000000000110\"[2](aa000000000112) \t\t# \"node2 HCA-1\" lid 65535 4xFDR10\n"
    "[3]\t\"S-00aa000000000200\"[4]\t\t# \"MF0;leaf1:MQM8700/U1\" lid 3 2xHDR\n"
    "[4]\t\"S-00aa000000000200\"[3]\t\t# \"MF0;leaf1:MQM8700/U1\" lid 3 1xHDR\n"
    "\n"
    "vendid=0x2c9\n"
    "devid=0x101b\n"
    "sysimgguid=0xaa000000000100\n"
    "caguid=0xaa000000000100\n"
    "Ca\t1 \"H-00aa000000000100\"\t\t# \"node1 HCA-1\"\n"
    "[1](aa000000000101) \t\"S-00aa000000000200\"[1]\t\t# lid 1 lmc 2 \"MF0;leaf1:MQM8700/U1\" lid "
    "3 4xHDR\n"
    "\n"
    "vendid=0x2c9\n"
    "devid=0x1003\n"
    "caguid=0xaa000000000110\n"
    "Ca\t2 \"H-00aa000000000110\"\t\t# \"node2 HCA-1\"\n"
    "[2](aa000000000112) \t\"S-00aa000000000200\"[2]\t\t# lid 65535 lmc 0 \"MF0;leaf1:MQM8700/U1\" "
    "lid 3 4xFDR10\n";

std::string refusal(const Result<ObservedTopology>& topology) {
  return topology ? "read" : topology.error().message;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

void check_subnet(const ObservedTopology& topology) {
  REQUIRE(topology.nodes.size() == 3);
  const IbNode& leaf = topology.nodes[0];
  CHECK(leaf.type == IbNodeType::switch_node);
  CHECK(leaf.guid == Guid{0xaa000000000200});
  CHECK(leaf.vendor_id == 0x2c9);
  CHECK(leaf.device_id == 0xd2f0);
  CHECK(leaf.port_count == 41);
  CHECK(leaf.name == "MF0;leaf1:MQM8700/U1");
  CHECK(leaf.lid == 3);
  CHECK(leaf.enhanced_port0 == true);
  REQUIRE(leaf.ports.size() == 4);
  const IbPort& first = leaf.ports[0];
  CHECK(first.number == 1);
  CHECK(first.guid == Guid{0xaa000000000200});
  CHECK(first.lanes == 4);
  CHECK(first.speed == IbSpeed::hdr);
  REQUIRE(first.peer);
  CHECK(first.peer->type == IbNodeType::channel_adapter);
  CHECK(first.peer->node_guid == Guid{0xaa000000000100});
  CHECK(first.peer->port_guid == Guid{0xaa000000000101});
  CHECK(first.peer->port == 1);
  CHECK(first.peer->lid == 1);
  CHECK(first.peer->name == "node1 HCA-1");
  CHECK(leaf.ports[1].speed == IbSpeed::fdr10);
  CHECK_FALSE(leaf.ports[1].peer->lid);
  CHECK(leaf.ports[2].lanes == 2);
  CHECK(leaf.ports[3].lanes == 1);
  const IbNode& second = topology.nodes[2];
  CHECK(second.type == IbNodeType::channel_adapter);
  CHECK_FALSE(second.system_image);
  REQUIRE(second.ports.size() == 1);
  CHECK(second.ports[0].guid == Guid{0xaa000000000112});
  CHECK_FALSE(second.ports[0].lid);
  CHECK(topology.nodes[1].ports[0].lmc == 2);
  CHECK(topology.from_port == Guid{0xaa000000000101});
}

TEST_CASE("a topology file is read with both ends of each link", "[providers]") {
  const auto topology = parse_ibnetdiscover(kSubnet);
  REQUIRE(topology);
  check_subnet(*topology);
  CHECK(topology->notes.empty());
}

TEST_CASE("lost tabs, Windows line ends and blanks before a GUID change nothing", "[providers]") {
  std::string text;
  for (const char c : std::string{kSubnet}) {
    if (c == '\n') text += '\r';
    if (c != '\t') text += c;
  }
  text = replaced(text, "[1](aa", "[1] (aa");
  const auto topology = parse_ibnetdiscover(text);
  REQUIRE(topology);
  check_subnet(*topology);
}

TEST_CASE("what stands around and between the nodes is kept as notes", "[providers]") {
  const std::string warning =
      "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1,31 Attr 0x11:0) bad status 110";
  const std::string text =
      "$ ibnetdiscover\n" + replaced(kSubnet, "[2]\t", warning + "\n[2]\t") +
      "DR path slid 65535; dlid 65535; 0,1 -> known remote switch\n[root@node1 ~]$\n";
  const auto topology = parse_ibnetdiscover(text);
  REQUIRE(topology);
  check_subnet(*topology);
  REQUIRE(topology->notes.size() == 4);
  CHECK(topology->notes[1].line == 13);
  CHECK(topology->notes[1].text == warning);
}

TEST_CASE("chassis, external ports and routers of a grouped dump are read", "[providers]") {
  const auto topology = parse_ibnetdiscover(
      "\nChassis 1 (guid 0xaa000000000300)\n\n# Spine Nodes\n"
      "vendid=0x8f1\ndevid=0x5a38\nsysimgguid=0xaa000000000300\t\t# Chassis 1\n"
      "switchguid=0xaa000000000300(aa000000000300)\t# ISR9024 spine 1\n"
      "Switch\t24 \"S-00aa000000000300\"\t\t# \"ISR \"big\" box\" base port 0 lid 6 lmc 1\n"
      "[9][ext 12]\t\"R-00aa000000000400\"[1][ext 2](aa000000000401) \t\t# \"router\" lid 9 8x??? "
      "s=0 w=4 v=4\n"
      "\nNon-Chassis Nodes\n"
      "vendid=0x8f1\ndevid=0x5a40\nrtguid=0xaa000000000400\n"
      "Rt\t2 \"R-00aa000000000400\"\t\t# \"router\" (scp)\n"
      "[1](aa000000000401) \t\"S-00aa000000000300\"[9][ext 12]\t\t# lid 9 lmc 0 \"ISR \"big\" "
      "box\" lid 6 ?????\n");
  INFO(refusal(topology));
  REQUIRE(topology);
  REQUIRE(topology->nodes.size() == 2);
  CHECK(topology->nodes[0].name == "ISR \"big\" box");
  CHECK(topology->nodes[0].enhanced_port0 == false);
  CHECK(topology->nodes[0].ports[0].lanes == 8);
  CHECK_FALSE(topology->nodes[0].ports[0].speed);
  CHECK(topology->nodes[0].ports[0].peer->type == IbNodeType::router);
  CHECK(topology->nodes[1].type == IbNodeType::router);
  CHECK_FALSE(topology->nodes[1].ports[0].lanes);
  CHECK(topology->notes.empty());
}

TEST_CASE("a damaged topology file is refused with line and column", "[providers]") {
  const std::string text = kSubnet;
  const auto refused = [&text](const std::string& from, const std::string& to) {
    return refusal(parse_ibnetdiscover(replaced(text, from, to)));
  };
  // Cut in the middle of a line.
  CHECK(
      refusal(parse_ibnetdiscover(text.substr(0, text.find("lid 65535 4xFDR10\n") + 9))) ==
      "line 12, column 72: expected width and speed as 4xEDR, found the end of the line");
  CHECK(
      refused("[1]\t\"H-00aa000000000100\"", "[1]\t\"H-00aa0000") ==
      "line 11, column 5: expected \"S-GUID\", \"H-GUID\" or \"R-GUID\", found "
      "'\"H-00aa0000[1](aa000000000101) \t\t# \"node1 HCA-1\" lid 1 4xHDR'");
  // Cut behind a node's own line.
  CHECK(
      refusal(parse_ibnetdiscover(text.substr(0, text.rfind("[2](aa000000000112)")))) ==
      "line 26, column 1: 0x00aa000000000110 has no link: the text is cut, or the tool ran at a "
      "port "
      "without one");
  CHECK(refused("4xHDR", "5xHDR").find("line 11, column ") == 0);
  CHECK(refused("4xHDR", "4xHD").find("line 11, column ") == 0);
  CHECK(refused("[2]\t", "[42]\t") == "line 12, column 1: port 42 of 41");
  CHECK(refused("[2]\t", "[1]\t") == "line 12, column 1: port 1 is described twice");
  CHECK(refused("[2]\t", "[300]\t").find("line 12, column 2: expected a port number") == 0);
  CHECK(refused("lid 1 4xHDR", "lid 70000 4xHDR").find("expected a LID") != std::string::npos);
  CHECK(
      refused("switchguid=0xaa000000000200", "switchguid=0xaa000000000201") ==
      "line 10, column 1: the node has another type or GUID than the lines above");
  CHECK(refused("Switch\t41 \"S-", "Switch\t41 \"H-").find("line 10, column 1: ") == 0);
  CHECK(refused("Switch\t41", "witch\t41") == "line 11, column 1: a port that belongs to no node");
  CHECK(
      refusal(parse_ibnetdiscover(text + text.substr(text.find("vendid=")))) ==
      "line 32, column 1: 0x00aa000000000200 is described twice, first in line 10");
  CHECK(
      refusal(parse_ibnetdiscover("ibwarn: [7] _do_madrpc: send failed; Invalid argument\n"
                                  "/usr/sbin/ibnetdiscover: iberror: failed: discover failed\n")) ==
      "line 2, column 1: /usr/sbin/ibnetdiscover: iberror: failed: discover failed");
}

TEST_CASE("a list of ports is read, unlinked ones without width and speed", "[providers]") {
  const auto topology = parse_ibnetdiscover(
      "CA   134  1 0x00aa000000000101 4x EDR - SW  1719 10 0x00aa000000000200 ( 'node1 HCA-1' - "
      "'leaf 1' )\n"
      "SW  1719 10 0x00aa000000000200 4x EDR - CA   134  1 0x00aa000000000101 ( 'leaf 1' - 'node1 "
      "HCA-1' )\n"
      "SW  1719 11 0x00aa000000000200 4x ???                                    ' leaf 1'\n"
      "SW    24 22 0x00aa000000000300 4x QDR                                    Infiniscale-IV\n"
      "CA     7  1 0x00aa000000000401 2x NDR - CA     8  1 0x00aa000000000501 ( 'a' - 'b' - 'c' "
      ")\n");
  INFO(refusal(topology));
  REQUIRE(topology);
  REQUIRE(topology->nodes.size() == 4);
  const IbNode& leaf = topology->nodes[1];
  CHECK(leaf.name == "leaf 1");
  CHECK(leaf.lid == 1719);
  REQUIRE(leaf.ports.size() == 2);
  CHECK(leaf.ports[0].speed == IbSpeed::edr);
  CHECK(leaf.ports[0].peer->port_guid == Guid{0xaa000000000101});
  CHECK(leaf.ports[0].peer->name == "node1 HCA-1");
  CHECK_FALSE(leaf.ports[1].peer);
  CHECK_FALSE(leaf.ports[1].lanes);
  CHECK(topology->nodes[2].name == "Infiniscale-IV");
  CHECK_FALSE(topology->nodes[2].ports[0].speed);
  // Which of the dashes stands between the names nobody knows.
  CHECK(topology->nodes[3].name.empty());
  CHECK(topology->nodes[3].ports[0].peer->name.empty());
  CHECK(
      refusal(parse_ibnetdiscover(
          "CA   134  1 0x00aa000000000101 4x EDR - SW  1719 10 0x00aa000000000200 ( 'node1 HC")) ==
      "line 1, column 71: expected ( 'NAME' - 'NAME' )");
  CHECK(
      refusal(parse_ibnetdiscover("CA   134  1 0x00aa000000000101 4x\n")) ==
      "line 1, column 34: expected width and speed as 4x EDR");
}

TEST_CASE("a topology becomes JSON without what is not known", "[providers]") {
  const auto topology = parse_ibnetdiscover(
      "CA     2  1 0x00aa000000000104 4x SDR - CA     1  1 0x00aa000000000101 ( 'b' - 'a' )\n");
  REQUIRE(topology);
  CHECK(
      to_json(to_value(*topology)) ==
      R"j({"nodes":[{"line":1,"name":"b","ports":[{"guid":"0x00aa000000000104","lanes":4,"lid":2,"line":1,)j"
      R"j("number":1,"peer":{"lid":1,"name":"a","port":1,"port_guid":"0x00aa000000000101","type":"ca"},)j"
      R"j("rate_gbps":10.0,"speed":"SDR"}],"type":"ca"}],"notes":[]})j");
}

constexpr const char* kByNode =
    "CA: node1 HCA-1:\n"
    "      0x00aa000000000101      1    1[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       "
    "2    9[  ] \"leaf \"1\"\" ( )\n"
    "Switch: 0x00aa000000000200 leaf \"1\":\n"
    "           2    1[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )\n"
    "           2    2[12] ==( 1X  10.0 Gbps (FDR10)  Init/ LinkErrorRecovery) (HOQ:7 "
    "VL_Stall:7)==>       3    1[ 5] \"node2\" (Could be 4X Could be 14.0625 Gbps)\n"
    "           2    3[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>      \"Port not "
    "available\"\n"
    "           2    4[  ] ==( 2X     undefined (64) Active/   ?(15))==>       5    1[  ] "
    "\"node5\" ( )\n";

TEST_CASE("iblinkinfo by node is read with states and degraded links", "[providers]") {
  const auto topology = parse_iblinkinfo(kByNode);
  INFO(refusal(topology));
  REQUIRE(topology);
  REQUIRE(topology->nodes.size() == 2);
  const IbPort& host = topology->nodes[0].ports.at(0);
  CHECK(host.guid == Guid{0xaa000000000101});
  CHECK(host.lid == 1);
  CHECK(host.speed == IbSpeed::qdr);
  CHECK(host.state == IbPortState::active);
  CHECK(host.physical == IbPhysicalState::link_up);
  CHECK(host.peer->name == "leaf \"1\"");
  CHECK(host.peer->lid == 2);
  CHECK(host.peer->port == 9);
  const IbNode& leaf = topology->nodes[1];
  CHECK(leaf.name == "leaf \"1\"");
  CHECK(leaf.lid == 2);
  REQUIRE(leaf.ports.size() == 4);
  CHECK(leaf.ports[0].guid == Guid{0xaa000000000200});
  CHECK(leaf.ports[0].state == IbPortState::down);
  CHECK(leaf.ports[0].physical == IbPhysicalState::polling);
  CHECK_FALSE(leaf.ports[0].peer);
  CHECK_FALSE(leaf.ports[0].peer_not_read);
  CHECK(leaf.ports[1].speed == IbSpeed::fdr10);
  CHECK(leaf.ports[1].lanes == 1);
  CHECK_FALSE(leaf.ports[1].state);
  CHECK(leaf.ports[1].physical == IbPhysicalState::recovery);
  CHECK(leaf.ports[1].could_be == "4X 14.0625 Gbps");
  CHECK(leaf.ports[2].peer_not_read);
  CHECK_FALSE(leaf.ports[3].speed);
  CHECK_FALSE(leaf.ports[3].physical);
}

TEST_CASE("iblinkinfo in lines is read with both GUIDs", "[providers]") {
  const auto topology = parse_iblinkinfo(
      "0x00aa000000000101 \"                   node1 HCA-1\"      1    1[  ] ==( 4X         53.125 "
      "Gbps Active/  LinkUp)==>  0x00aa000000000200      2    9[  ] \"leaf1\" ( )\n"
      "0x00aa000000000200 \"                         leaf1\"      2    9[  ] ==( 4X         53.125 "
      "Gbps Active/  LinkUp)==>  0x00aa000000000101      1    1[  ] \"node1 HCA-1\" ( )\n"
      "0x00aa000000000200 \"                         leaf1\"      2   10[  ] ==(                "
      "Down/Disabled)==>             [  ] \"\" ( )\n");
  INFO(refusal(topology));
  REQUIRE(topology);
  REQUIRE(topology->nodes.size() == 2);
  CHECK(topology->nodes[0].type == IbNodeType::unknown);
  CHECK(topology->nodes[1].name == "leaf1");
  CHECK(topology->nodes[1].type == IbNodeType::switch_node);  // one GUID, several ports
  REQUIRE(topology->nodes[1].ports.size() == 2);
  CHECK(topology->nodes[1].ports[0].peer->port_guid == Guid{0xaa000000000101});
  CHECK(topology->nodes[1].ports[0].speed == IbSpeed::hdr);
  CHECK(topology->nodes[1].ports[1].physical == IbPhysicalState::disabled);
}

TEST_CASE("damaged links of iblinkinfo are refused with line and column", "[providers]") {
  const std::string text = kByNode;
  const auto refused = [&text](const std::string& from, const std::string& to) {
    return refusal(parse_iblinkinfo(replaced(text, from, to)));
  };
  CHECK(
      refusal(parse_iblinkinfo(text.substr(0, text.find("Gbps Active")))) ==
      "line 2, column 42: the line ends in the link");
  CHECK(
      refusal(parse_iblinkinfo(text.substr(0, text.find("\"leaf")))) ==
      "line 2, column 87: expected \"NAME\" (...) at the end");
  CHECK(
      refused("Switch: 0x00aa000000000200", "Switch:") ==
      "line 3, column 1: expected Switch: GUID NAME:");
  CHECK(refused("Switch: ", "Swatch: ") == "line 4, column 1: a port that belongs to no node");
  CHECK(refused("( 1X", "( 3X").find("line 5, column ") == 0);
  CHECK(refused("25.78125", "25.7812").find("line 6, column ") == 0);
  CHECK(refused("2    2[12]", "2    2") == "line 5, column 19: expected LID PORT[EXTERNAL]");
  CHECK(
      refusal(parse_iblinkinfo("iblinkinfo: iberror: failed: discover failed\n")) ==
      "line 1, column 1: iblinkinfo: iberror: failed: discover failed");
}

// Ten thousand hosts at five hundred switches: some megabytes, so nothing may grow by the square.
TEST_CASE("a large subnet is read", "[providers]") {
  std::string text;
  constexpr int kSwitches = 500;
  constexpr int kHosts = 20;
  for (int leaf = 1; leaf <= kSwitches; ++leaf) {
    const std::string id = std::to_string(100000 + leaf);
    text += "vendid=0x2c9\ndevid=0xd2f0\nswitchguid=0x" + id + "(" + id +
            ")\nSwitch\t40 \"S-0000000000" + id + "\"\t# \"leaf\" base port 0 lid 1 lmc 0\n";
    for (int port = 1; port <= kHosts; ++port)
      text += "[" + std::to_string(port) + "]\t\"H-" + id + std::to_string(1000 + port) + "\"[1](" +
              id + std::to_string(1000 + port) + ")\t# \"host\" lid 2 4xHDR\n";
  }
  const auto topology = parse_ibnetdiscover(text);
  REQUIRE(topology);
  CHECK(topology->nodes.size() == kSwitches);
  CHECK(topology->nodes.back().ports.size() == kHosts);
}

}  // namespace
}  // namespace fabric::providers
