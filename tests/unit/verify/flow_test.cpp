// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/flows/flow.hpp"

#include "engine/remote/shell.hpp"
#include "engine/verify/flows/flow_choice.hpp"
#include "engine/verify/flows/flow_ends.hpp"
#include "engine/verify/flows/flow_findings.hpp"
#include "providers/linux/machine/linux_platform.hpp"
#include "providers/linux/machine/paths/flows.hpp"
#include "providers/linux/machine/paths/path_tests.hpp"
#include "providers/linux/machine/sh/scripts.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/found.hpp"
#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {
namespace {

std::vector<Diagnostic> flow_findings(
    const FabricSpec& spec, const std::vector<FlowReport>& reports, bool judged) {
  return found_by([&](Findings& findings) { add_flow_findings(spec, reports, judged, findings); });
}

PortReadings readings_of(int number) {
  std::string text = "fabric-ports\nib_send_bw/tool:yes\niperf3/tool:yes\n";
  for (int which : {1, 2}) {
    const std::string f = std::to_string(which - 1);
    const std::string device = "rocep1s0f" + f;
    const std::string port = device + "/ports/1/";
    const int host = (number - 1) * 2 + which;
    text += device + "/pci:/sys/devices/pci0000:00/0000:01:00." + f + "\n";
    text += port + "link_layer:Ethernet\n" + port + "state:4: ACTIVE\n";
    text += port + "rate:100 Gb/sec (4X EDR)\n";
    for (const char* index : {"2", "3"}) {
      text += port + "gids/" + index + ":0000:0000:0000:0000:0000:ffff:0a1e:000" +
              std::to_string(host) + "\n";
      text += port + "gid_attrs/ndevs/" + index + ":ens1f" + f + "np" + f + "\n";
    }
    text += port + "gid_attrs/types/2:IB/RoCE v1\n" + port + "gid_attrs/types/3:RoCE v2\n";
  }
  return platform::parse_port_readings(text);
}

ReadingsByNode readings(int nodes) {
  ReadingsByNode all;
  for (int n = 1; n <= nodes; ++n)
    all.emplace(node(n), readings_of(n));
  return all;
}

const Registry& linux_alone() {
  static const Registry registry = [] {
    Registry made;
    made.add(platform::linux_platform());
    return made;
  }();
  return registry;
}

std::vector<Flow> flows(int nodes, Traffic traffic = Traffic::rdma) {
  return flows_to_test(
      ring(nodes),
      healthy(nodes),
      readings(nodes),
      linux_alone(),
      {traffic, FlowPairs::neighbours});
}

platform::FlowOrder order_of(const Flow& flow, Duration duration) {
  return {flow.traffic, flow.client.at, flow.server.at, 20'001, duration};
}

FlowReport parse_flow(
    const Flow& flow, const remote::CommandOutput& server, const remote::CommandOutput& client) {
  return report_of(
      flow, platform::parse_client(flow.traffic, client), platform::parse_server(server));
}

remote::CommandOutput said(const std::string& text, int status) {
  return {0, "banner\nfabric-flow\n" + text + "\nfabric-exit " + std::to_string(status) + "\n", ""};
}

constexpr const char* kBandwidth = R"(
************************************
* Waiting for client to connect... *
************************************
---------------------------------------------------------------------------------------
                    Send BW Test
 Dual-port       : OFF		Device         : rocep1s0f0
 Link type       : Ethernet
 GID index       : 3
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      1000             92.61              91.57		   0.174660
---------------------------------------------------------------------------------------)";

}  // namespace

TEST_CASE("a ring has a flow a cable, and one for each pair of nodes farther apart", "[verify]") {
  const std::vector<Flow> found = flows(4);
  REQUIRE(found.size() == 6);
  CHECK(found[0].client.port == port(1, 1));
  CHECK(found[0].server.port == port(2, 2));
  CHECK(found[0].client.at.rdma_device == "rocep1s0f0");
  CHECK(found[0].client.at.gid_index == 3U);
  CHECK(found[0].server.at.address == "10.30.0.4");
  CHECK(found[0].why_not.empty());
  CHECK(found[0].limit_gbps == 100);
  CHECK(found[0].limited_by == "the link of pve1/cx5/1");
  CHECK(found[4].transit.size() == 1);
  CHECK(least_gbps(found[0]) == 80);
  CHECK(least_gbps(found[4]) == 72);
}

TEST_CASE("of some nodes only the flows to and from them are measured", "[verify]") {
  const auto found = flows_to_test(
      ring(4),
      healthy(4),
      readings(4),
      linux_alone(),
      {Traffic::rdma, FlowPairs::neighbours, {node(1)}});
  REQUIRE(found.size() == 3);
  for (const Flow& flow : found)
    CHECK((flow.client.port.node == node(1) || flow.server.port.node == node(1)));
}

TEST_CASE("a narrow slot lowers what can be expected", "[verify]") {
  discovery::Snapshot snapshot = healthy(2);
  Observation& card = snapshot.nodes.at(node(2)).observations.at({node(2), "adapter", "cx5"});
  card.attributes["pcie_speed"].running = Reading::of("8.0 GT/s PCIe");
  card.attributes["pcie_width"].running = Reading::of(std::int64_t{8});
  const auto found = flows_to_test(
      ring(2), snapshot, readings(2), linux_alone(), {Traffic::tcp, FlowPairs::neighbours});
  CHECK(found[0].limit_gbps > 63);
  CHECK(found[0].limit_gbps < 64);
  CHECK(found[0].limited_by == "the PCIe slot of pve2/cx5");
}

TEST_CASE("flows of one round share neither node nor cable", "[verify]") {
  const std::vector<Flow> found = flows(4);
  const auto rounds = flow_rounds(found);
  std::size_t all = 0;
  for (const auto& round : rounds) {
    std::set<NodeName> nodes;
    std::set<std::size_t> cables;
    for (const std::size_t index : round) {
      ++all;
      const Flow& flow = found[index];
      for (const NodeName& name : {flow.client.port.node, flow.server.port.node})
        CHECK(nodes.insert(name).second);
      for (const NodeName& name : flow.transit)
        CHECK(nodes.insert(name).second);
      for (const std::size_t cable : flow.cables)
        CHECK(cables.insert(cable).second);
    }
  }
  CHECK(all == found.size());
  CHECK(rounds[0] == std::vector<std::size_t>{0, 2});
}

TEST_CASE("an address that the port does not have means no GID, and is said", "[verify]") {
  FabricSpec spec = ring(2);
  spec.networks.at("storage").ipv4.addresses.at(port(2, 2)).front().value =
      *IpAddress::parse("10.30.0.77");
  const auto found = flows_to_test(
      spec, healthy(2), readings(2), linux_alone(), {Traffic::rdma, FlowPairs::neighbours});
  CHECK(
      found[0].why_not ==
      "rocep1s0f1/1 of pve2 has no RoCE v2 GID of 10.30.0.77: the address is not on ens1f1np1");
  CHECK(flow_rounds(found) == std::vector<std::vector<std::size_t>>{{1}});
  CHECK(is_gid_of("fe80:0000:0000:0000:0000:0000:0000:0001", "fe80::1"));
  CHECK(!is_gid_of("nonsense", "10.30.0.1"));
}

TEST_CASE("a missing tool is one finding a node, with its package", "[verify]") {
  ReadingsByNode lacking = readings(3);
  lacking.at(node(2)).measurable.clear();
  std::vector<FlowReport> reports;
  for (const Flow& flow : flows_to_test(
           ring(3), healthy(3), lacking, linux_alone(), {Traffic::rdma, FlowPairs::neighbours}))
    reports.push_back({flow, FlowState::untested, 0, flow.why_not});
  const std::vector<Diagnostic> findings = flow_findings(ring(3), reports, false);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].rule == "tool-missing");
  CHECK(findings[0].help == "install the package perftest on pve2");
  // What is left could be measured and was not.
  CHECK(findings[1].rule == "flow-failed");
}

TEST_CASE(
    "both ends of a flow use their own device, and the client the server's address", "[verify]") {
  const Flow flow = flows(4)[0];
  const remote::Command server = platform::server_command(order_of(flow, Duration{0}));
  const remote::Command client = platform::client_command(order_of(flow, Duration{5000}));
  const auto words = [](const remote::Command& command) {
    CHECK(command.standard_input == sh::measure.text);
    return remote::command_line(command.argv);
  };
  CHECK(
      words(server) ==
      "sh -s '' timeout -k 2 25 ib_send_bw -d rocep1s0f1 -i 1 -x 3 -s 65536 -F "
      "--report_gbits -p 20001 -n 1000");
  CHECK(
      words(client) ==
      "sh -s '' timeout -k 2 20 ib_send_bw -d rocep1s0f0 -i 1 -x 3 -s 65536 -F "
      "--report_gbits -p 20001 -D 5 10.30.0.4");
  const remote::Command tcp =
      platform::client_command(order_of(flows(4, Traffic::tcp)[0], Duration{5000}));
  CHECK(
      words(tcp).find("timeout -k 2 20 iperf3 -p 20001 -B 10.30.0.1 -c 10.30.0.4 -J -P 8 -t 5") !=
      std::string::npos);
}

TEST_CASE("the average of perftest is found under its header", "[verify]") {
  const Flow flow = flows(4)[0];
  FlowReport report = parse_flow(flow, {}, said(kBandwidth, 0));
  CHECK(report.state == FlowState::measured);
  CHECK(report.gbps == 91.57);
  // Without --report_gbits it counts in mebibytes.
  report = parse_flow(
      flow,
      {},
      said(
          " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
          " 65536      1000             11000.00           10000.00             0.16\n",
          0));
  CHECK(report.gbps > 83.8);
  CHECK(report.gbps < 83.9);
}

TEST_CASE("what a tool says is repeated, of the server where only that knows", "[verify]") {
  const Flow flow = flows(4)[0];
  const auto refused =
      said("Couldn't connect to 10.30.0.4:20001\n Unable to init the socket connection", 1);
  CHECK(platform::parse_client(Traffic::rdma, refused).nobody_listened);
  FlowReport report = parse_flow(
      flow,
      said(
          " Did not detect devices \n If device exists, check if driver is up\n"
          " Unable to find the Infiniband/RoCE device",
          1),
      refused);
  CHECK(report.state == FlowState::failed);
  CHECK(report.detail == "Unable to find the Infiniband/RoCE device (on pve2)");
  report = parse_flow(flow, said("", 124), said("", 124));
  CHECK(report.detail == "no end within its time");
  report = parse_flow(flow, {}, {0, "banner\n", ""});
  CHECK(report.state == FlowState::untested);
  // Zero is no bandwidth, and exit 0 no evidence.
  CHECK(
      parse_flow(flow, {}, said(" #bytes  #iterations  BW average[Gb/sec]\n 65536  0  0.00", 0))
          .state == FlowState::failed);
}

TEST_CASE("iperf3 is judged by what was received; its exit status says nothing", "[verify]") {
  const Flow flow = flows(4, Traffic::tcp)[0];
  FlowReport report = parse_flow(
      flow,
      {},
      said(
          "{\n\t\"start\":\t{},\n\t\"intervals\":\t[],\n\t\"end\":\t{\n"
          "\t\t\"sock_bufsize\":\t0,\n\t\t\"sock_bufsize\":\t0,\n"
          "\t\t\"sum_sent\":\t{\"bits_per_second\": 70204165968.5},\n"
          "\t\t\"sum_received\":\t{\"bits_per_second\": 69296293549.2}\n\t}\n}",
          0));
  CHECK(report.state == FlowState::measured);
  CHECK(report.gbps > 69.29);
  CHECK(report.gbps < 69.3);
  report = parse_flow(
      flow,
      {},
      said(
          "{\n\t\"end\":\t{\n\t},\n\t\"error\":\t\"unable to connect to server: Connection "
          "refused\"\n}",
          0));
  CHECK(report.state == FlowState::failed);
  CHECK(report.detail == "unable to connect to server: Connection refused");
  CHECK(parse_flow(flow, {}, said("{\"end\": ", 0)).state == FlowState::failed);
}

TEST_CASE(
    "a slow flow is a warning that says what was expected, and only where judged", "[verify]") {
  const std::vector<FlowReport> reports{{flows(4)[4], FlowState::measured, 20, {}}};
  CHECK(flow_findings(ring(4), reports, false).empty());
  const std::vector<Diagnostic> findings = flow_findings(ring(4), reports, true);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::warning);
  CHECK(
      findings[0].message ==
      "ib_send_bw from pve1/cx5/1 to pve3/cx5/2 through pve2 carries 20.0 Gb/s, expected at least "
      "72.0: the link of pve1/cx5/1 allows 100.0");
}

}  // namespace fabric::verify::test
