// SPDX-License-Identifier: Apache-2.0
// InfiniBand cables by what the subnet shows: every verdict, and no verdict without data.
#include "tests/support/catch.hpp"
#include "tests/unit/verify/leaf_pair.hpp"

namespace fabric::verify::test {
namespace {

std::string verdicts(const Report& report) {
  std::string text;
  for (const CableReport& cable : report.cables)
    text += (text.empty() ? "" : " ") + std::string{to_string(cable.state)};
  return text;
}

Report judged(const Subnet& subnet, const FabricSpec& spec = leaf_pair()) {
  return judge_wire(spec, subnet.seen());
}

TEST_CASE("a subnet that is cabled as declared is ok, by descriptions alone", "[verify][wire]") {
  const Report report = judged(Subnet::healthy());
  CHECK(verdicts(report) == "ok ok ok ok ok ok");
  CHECK(report.findings.empty());
  CHECK(report.unexpected.empty());
}

TEST_CASE(
    "two hosts that were swapped are two mis-wired cables with expected and actual ends",
    "[verify][wire]") {
  Subnet subnet = Subnet::healthy();
  subnet.join(2, 1, 1, 1);
  subnet.join(4, 1, 0, 1);
  const Report report = judged(subnet);
  CHECK(verdicts(report) == "mis-wired ok mis-wired ok ok ok");
  REQUIRE(report.findings.size() == 2);
  CHECK(
      report.findings[0].message ==
      "cable c1/hca/1 - leaf1/1 is mis-wired: c1/hca/1 is cabled to leaf2/1; leaf1/1 is cabled to "
      "c3/hca/1");
  CHECK_FALSE(report.ok());
}

TEST_CASE(
    "a cable without link is missing, also when its host is not in the subnet any more",
    "[verify][wire]") {
  Subnet subnet = Subnet::healthy();
  subnet.pull(2, 1);
  subnet.pull(0, 36);
  const Report report = judged(subnet);
  CHECK(verdicts(report) == "missing ok ok ok ok missing");
  CHECK(report.cables[0].detail == "no link at leaf1/1");
  CHECK(report.cables[5].detail == "no link at both ends");
}

TEST_CASE("a sweep with holes makes no cable missing", "[verify][wire]") {
  Subnet subnet = Subnet::healthy();
  subnet.pull(0, 36);
  subnet.topology.notes.push_back({7, "src/query_smp.c:195; umad (DR path) bad status 110"});
  const Report report = judged(subnet);
  CHECK(verdicts(report) == "ok ok ok ok ok no-data");
  CHECK(
      report.cables[5].detail.find("not read completely: src/query_smp.c:195") !=
      std::string::npos);
  // But a port that itself says so has no link, whatever was lost elsewhere.
  IbPort down;
  down.number = 36;
  down.physical = IbPhysicalState::polling;
  subnet.topology.nodes[0].ports.push_back(down);
  CHECK(judged(subnet).cables[5].state == CableState::missing);
}

TEST_CASE("a link whose other end was not read is no data", "[verify][wire]") {
  Subnet subnet = Subnet::healthy();
  subnet.pull(0, 36);
  for (std::size_t leaf : {0U, 1U}) {
    IbPort up;
    up.number = 36;
    up.physical = IbPhysicalState::link_up;
    up.peer_not_read = true;
    subnet.topology.nodes[leaf].ports.push_back(up);
  }
  const Report report = judged(subnet);
  CHECK(report.cables[5].state == CableState::no_data);
  CHECK(report.cables[5].detail == "leaf2/36 was not asked");
}

TEST_CASE("a link that one end does not see is one-sided", "[verify][wire]") {
  Subnet subnet = Subnet::healthy();
  subnet.remove(1, 36);
  const Report report = judged(subnet);
  CHECK(verdicts(report) == "ok ok ok ok ok one-sided");
  CHECK(report.cables[5].detail == "no link at leaf2/36, but link at leaf1/36");
}

TEST_CASE("ends that tell of different cables are no data", "[verify][wire]") {
  Subnet subnet = Subnet::healthy();
  subnet.remove(1, 36);
  subnet.put(1, 36, 0, 20);
  const Report report = judged(subnet);
  CHECK(report.cables[5].state == CableState::no_data);
  CHECK(report.cables[5].detail.find("the two ends disagree") == 0);
}

TEST_CASE("a cable from a switch to itself is a loopback", "[verify][wire]") {
  Subnet subnet = Subnet::healthy();
  subnet.join(0, 35, 0, 36);
  const Report report = judged(subnet);
  CHECK(verdicts(report) == "ok ok ok ok loopback loopback");
  CHECK(report.unexpected.empty());
}

TEST_CASE(
    "a slow or narrow link is degraded, and so is one whose ends disagree", "[verify][wire]") {
  Subnet subnet = Subnet::healthy();
  subnet.join(2, 1, 0, 1, IbSpeed::edr);
  subnet.join(3, 1, 0, 2, IbSpeed::hdr, 1);
  CHECK(verdicts(judged(subnet, leaf_pair("200G"))) == "degraded degraded ok ok ok ok");
  CHECK(verdicts(judged(subnet, leaf_pair("HDR"))) == "degraded degraded ok ok ok ok");
  const Report report = judged(subnet);
  CHECK(verdicts(report) == "ok degraded ok ok ok ok");
  CHECK(report.cables[1].detail == "expected 4 lanes, found 1xHDR");
  subnet.remove(0, 1);
  subnet.put(0, 1, 2, 1, IbSpeed::edr, 1);
  CHECK(judged(subnet).cables[0].detail == "its ends report different rates: 4xEDR and 1xEDR");
}

TEST_CASE("links that the document does not know are named with both ends", "[verify][wire]") {
  Subnet subnet = Subnet::healthy();
  subnet.join(0, 20, 1, 20);
  const std::size_t stranger = subnet.add(IbNodeType::channel_adapter, "sto7 HCA-1", 0xcc00, 1);
  subnet.join(stranger, 1, 1, 30);
  const std::size_t far = subnet.add(IbNodeType::channel_adapter, "sto8 HCA-1", 0xcc10, 2);
  subnet.join(far, 1, stranger, 2);
  const Report report = judged(subnet);
  CHECK(verdicts(report) == "ok ok ok ok ok ok");
  REQUIRE(report.unexpected.size() == 2);
  CHECK(report.unexpected[0] == UnexpectedCable{"leaf1/20", "leaf2/20"});
  CHECK(
      report.unexpected[1] ==
      UnexpectedCable{"leaf2/30", "an unknown device, 'sto7 HCA-1' (0x000000000000cc00) port 1"});
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].rule == "cable-unexpected");
  CHECK(report.ok());
}

TEST_CASE("listed ports and aggregation nodes are not unexpected", "[verify][wire]") {
  FabricSpec spec = leaf_pair();
  spec.networks.at("compute").ports.push_back({leaf_port(1, 20), {}});
  Subnet subnet = Subnet::healthy();
  subnet.join(0, 20, 1, 20);
  const std::size_t inside =
      subnet.add(IbNodeType::channel_adapter, "Mellanox Technologies Aggregation Node", 0xdd00, 1);
  subnet.topology.nodes[inside].system_image = subnet.topology.nodes[1].system_image = Guid{0xaa02};
  subnet.join(1, 33, inside, 1);
  CHECK(judged(subnet, spec).unexpected.empty());
}

TEST_CASE("an end that nobody can name is no proof of a wrong cable", "[verify][wire]") {
  Subnet subnet = Subnet::healthy();
  for (const std::size_t host : {2U, 3U})
    subnet.topology.nodes[host].name = "MT4123 ConnectX6   Mellanox Technologies";
  const Report report = judge_wire(leaf_pair(), subnet.seen());
  CHECK(report.cables[0].state == CableState::no_data);
  CHECK(
      report.cables[0].detail.find("no adapter of the subnet has the name c1") !=
      std::string::npos);
  // Its port GUID names it, whatever it calls itself.
  WireEvidence known = subnet.seen();
  known.port_guids.emplace(host_port(1), Guid{Subnet::guid_of(1) + 1});
  CHECK(judge_wire(leaf_pair(), known).cables[0].state == CableState::ok);
}

TEST_CASE("two devices of one name are told apart by nothing but GUIDs", "[verify][wire]") {
  Subnet subnet = Subnet::healthy();
  subnet.topology.nodes[1].name = "leaf1";
  const Report report = judged(subnet);
  CHECK(report.cables[0].state == CableState::no_data);
  CHECK(
      report.cables[0].detail.find("2 switches of the subnet have the name leaf1") !=
      std::string::npos);
  FabricSpec spec = leaf_pair();
  spec.nodes.at(named("leaf1")).node_guid.value = "0xaa01";
  spec.nodes.at(named("leaf2")).node_guid.value = "0xaa02";
  CHECK(verdicts(judged(subnet, spec)) == "ok ok ok ok ok ok");
}

TEST_CASE("nobody who looked is no data, with the reason", "[verify][wire]") {
  const Report nobody = judge_wire(leaf_pair(), {});
  CHECK(verdicts(nobody) == "no-data no-data no-data no-data no-data no-data");
  CHECK(nobody.cables[0].detail == "no node that was asked can read the subnet");
  const WireEvidence refused{
      {{"c1 (mlx5_1/1)", {}, "it is a virtual function, which may not ask the subnet", {}}}, {}};
  const Report report = judge_wire(leaf_pair(), refused);
  CHECK(
      report.cables[0].detail ==
      "c1 (mlx5_1/1): it is a virtual function, which may not ask the subnet");
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].rule == "cable-unproven");
}

TEST_CASE(
    "a host that says its port has no link proves that a cable is missing", "[verify][wire]") {
  WireEvidence evidence{{{"c1", {}, "the port has no link", {Guid{0x1234}}}}, {}};
  evidence.port_guids.emplace(host_port(1), Guid{0x1234});
  const Report report = judge_wire(leaf_pair(), evidence);
  CHECK(verdicts(report) == "missing no-data no-data no-data no-data no-data");
  // Its port told what it could: nothing was read that should have told of the others.
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[1].rule == "cable-unproven");
}

TEST_CASE("what two places saw of two parts of a subnet is put together", "[verify][wire]") {
  const Subnet whole = Subnet::healthy();
  WireEvidence evidence;
  for (const auto& [leaf, first] : {std::pair<std::size_t, std::size_t>{0, 2}, {1, 4}}) {
    ObservedTopology part;
    for (const std::size_t node : {leaf, first, first + 1})
      part.nodes.push_back(whole.topology.nodes[node]);
    evidence.views.push_back({"somebody", part, {}, {}});
  }
  CHECK(verdicts(judge_wire(leaf_pair(), evidence)) == "ok ok ok ok ok ok");
}

TEST_CASE("ports that have their LID for a name are found by it", "[verify][wire]") {
  // `iblinkinfo` by node: peers have no GUID.
  Subnet subnet = Subnet::healthy();
  std::int64_t lid = 1;
  for (IbNode& node : subnet.topology.nodes) {
    node.lid = lid;
    node.ports.front().lid = lid++;
  }
  for (IbNode& node : subnet.topology.nodes) {
    for (IbPort& port : node.ports) {
      for (const IbNode& other : subnet.topology.nodes) {
        if (port.peer->node_guid == other.guid) port.peer->lid = other.lid;
      }
      port.peer->node_guid.reset();
    }
  }
  CHECK(verdicts(judged(subnet)) == "ok ok ok ok ok ok");
}

}  // namespace
}  // namespace fabric::verify::test
