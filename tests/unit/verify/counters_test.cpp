// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/evidence/counters.hpp"

#include "providers/linux/machine/paths/path_tests.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/found.hpp"
#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {
namespace {

std::vector<Diagnostic> counter_findings(
    const FabricSpec& spec, const std::vector<CounterReport>& reports) {
  return found_by([&](Findings& findings) { add_counter_findings(spec, reports, findings); });
}

constexpr const char* kReadings = R"(a banner of the login shell
fabric-ports
ens1f0np0/carrier_changes:3
ens1f0np0/carrier_down_count:1
ens1f0np0/statistics/rx_errors:0
ens1f0np0/statistics/rx_crc_errors:0
ens1f1np1/carrier_changes:1
ens1f1np1/statistics/rx_errors:7
rocep1s0f0/pci:/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0
rocep1s0f1/pci:/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.1
rocep1s0f0/ports/1/link_layer:Ethernet
rocep1s0f0/ports/1/state:4: ACTIVE
rocep1s0f0/ports/1/counters/link_downed:0
rocep1s0f0/ports/1/pkeys/0:0xffff
rocep1s0f0/ports/1/pkeys/1:0x0010
rocep1s0f0/ports/1/pkeys/2:0x0000
rocep1s0f0/ports/1/pkeys/3:nonsense
rocep1s0f1/ports/1/link_layer:Ethernet
rocep1s0f0/ports/1/gids/0:fe80:0000:0000:0000:0e42:a1ff:fe8c:51a8
rocep1s0f0/ports/1/gids/3:0000:0000:0000:0000:0000:ffff:0a1e:0001
rocep1s0f0/ports/1/gid_attrs/types/0:IB/RoCE v1
rocep1s0f0/ports/1/gid_attrs/types/3:RoCE v2
rocep1s0f0/ports/1/gid_attrs/ndevs/0:ens1f0np0
rocep1s0f0/ports/1/gid_attrs/ndevs/3:ens1f0np0
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::vector<CounterReport> compare(const std::string& after) {
  const ReadingsByNode before{{node(1), platform::parse_port_readings(kReadings)}};
  const ReadingsByNode later{{node(1), platform::parse_port_readings(after)}};
  return compare_counters(ring(2), healthy(2), before, later);
}

TEST_CASE("readings of ports are taken apart by path, whatever stands before them", "[verify]") {
  const PortReadings readings = platform::parse_port_readings(kReadings);
  CHECK(readings.why_not.empty());
  CHECK(readings.interfaces.at("ens1f1np1").at("rx_errors") == 7);
  REQUIRE(readings.rdma.size() == 2);
  const RdmaPort& port = readings.rdma[0];
  CHECK(port.str() == "rocep1s0f0/1");
  CHECK(port.pci == "0000:01:00.0");
  CHECK(port.state == "ACTIVE");
  CHECK(port.pkeys == std::vector<std::uint16_t>{0xffff, 0x0010});
  REQUIRE(port.gids.size() == 2);
  CHECK(port.gids[1].index == 3);
  CHECK(port.gids[1].type == "RoCE v2");
  CHECK(port.gids[1].netdev == "ens1f0np0");
}

TEST_CASE(
    "a port finds its RDMA device by interface, by function, by number or by its bond",
    "[verify]") {
  const PciAddress card = *PciAddress::parse("0000:01:00.0");
  PortReadings readings = platform::parse_port_readings(kReadings);
  CHECK(readings.rdma_of("ens1f0np0", card, 1)->str() == "rocep1s0f0/1");
  CHECK(readings.rdma_of("ens1f1np1", card, 2)->str() == "rocep1s0f1/1");
  readings = platform::parse_port_readings(
      "fabric-ports\nmlx4_0/pci:/sys/devices/0000:01:00.0\nmlx4_0/ports/1/link_layer:Ethernet\n"
      "mlx4_0/ports/2/link_layer:Ethernet\n");
  CHECK(readings.rdma_of("eth3", card, 2)->str() == "mlx4_0/2");
  readings = platform::parse_port_readings(
      "fabric-ports\nmlx5_bond_0/pci:/sys/devices/0000:01:00.0\n"
      "mlx5_bond_0/ports/1/link_layer:Ethernet\n");
  CHECK(readings.rdma_of("eth3", card, 2)->str() == "mlx5_bond_0/1");
  CHECK(platform::parse_port_readings("fabric-ports\n").rdma_of("eth3", card, 1) == nullptr);
}

TEST_CASE(
    "counters that stand still are no finding, and those of a silent node are unknown",
    "[verify]") {
  const std::vector<CounterReport> reports = compare(kReadings);
  REQUIRE(reports.size() == 4);
  CHECK(reports[0].state == CounterState::still);
  CHECK(reports[0].rdma == "rocep1s0f0/1");
  CHECK(reports[2].state == CounterState::unknown);
  CHECK(reports[2].why_unknown == "its counters were not read");
  CHECK(counter_findings(ring(2), reports).empty());
}

TEST_CASE("errors that were counted meanwhile are a warning that says which", "[verify]") {
  const auto reports = compare(with(kReadings, "rx_crc_errors:0", "rx_crc_errors:12"));
  CHECK(reports[0].state == CounterState::moved);
  const std::vector<Diagnostic> findings = counter_findings(ring(2), reports);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::warning);
  CHECK(
      findings[0].message ==
      "pve1/cx5/1 (ens1f0np0) counted errors during the verify: rx_crc_errors from 0 to 12");
}

TEST_CASE("a lost link is an error, by the counter that the kernel has", "[verify]") {
  auto findings = counter_findings(
      ring(2), compare(with(kReadings, "carrier_down_count:1", "carrier_down_count:2")));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::error);
  // Where the better counter is there, the other one is not repeated.
  CHECK(compare(with(kReadings, "changes:3", "changes:5"))[0].state == CounterState::still);
  findings = counter_findings(
      ring(2), compare(with(kReadings, "f1np1/carrier_changes:1", "f1np1/carrier_changes:3")));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::error);
}

TEST_CASE("a counter at its top is a finding, whether it moved or not", "[verify]") {
  const std::string at_top = with(kReadings, "link_downed:0", "link_downed:255");
  const ReadingsByNode readings{{node(1), platform::parse_port_readings(at_top)}};
  std::vector<CounterReport> reports = compare_counters(ring(2), healthy(2), readings, readings);
  CHECK(reports[0].state == CounterState::saturated);
  CHECK(reports[1].state == CounterState::still);
  auto findings = counter_findings(ring(2), reports);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "counter-saturated");
  CHECK(
      findings[0].message ==
      "pve1/cx5/1 (rocep1s0f0/1) are at their top and count no further: link_downed 255");

  reports = compare(at_top);
  CHECK(reports[0].state == CounterState::moved);
  findings = counter_findings(ring(2), reports);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].rule == "counter-saturated");
  CHECK(findings[1].rule == "link-errors");
}

TEST_CASE("each counter has a top of its own", "[verify]") {
  const auto state = [](const std::string& counter) {
    const std::string text = with(
        kReadings,
        "rocep1s0f0/ports/1/counters/link_downed:0",
        "rocep1s0f0/ports/1/counters/" + counter);
    const ReadingsByNode readings{{node(1), platform::parse_port_readings(text)}};
    return compare_counters(ring(2), healthy(2), readings, readings)[0].state;
  };
  CHECK(state("symbol_error:65535") == CounterState::saturated);
  CHECK(state("symbol_error:255") == CounterState::still);
  CHECK(state("link_error_recovery:255") == CounterState::saturated);
  CHECK(state("port_rcv_errors:65535") == CounterState::saturated);
  CHECK(state("port_rcv_remote_physical_errors:65535") == CounterState::saturated);
  CHECK(state("local_link_integrity_errors:15") == CounterState::saturated);
  CHECK(state("excessive_buffer_overrun_errors:15") == CounterState::saturated);
  CHECK(state("excessive_buffer_overrun_errors:14") == CounterState::still);
}

TEST_CASE("a node whose answer is cut off has unknown counters", "[verify]") {
  const auto reports = compare("Connection reset\n");
  CHECK(reports[0].state == CounterState::unknown);
  CHECK(reports[0].why_unknown == "the node did not answer the script that reads its counters");
}

TEST_CASE("a port of a switch is judged by what the switch counts", "[verify]") {
  FabricSpec spec = ring(2);
  NetworkSpec& network = spec.networks.begin()->second;
  const NodeName leaf = *NodeName::parse("leaf1");
  spec.nodes.emplace(leaf, bare_node(leaf));
  const PortRef at_switch{leaf, "", "7"};
  network.cables.push_back({{port(1, 1), {}}, {at_switch, {}}, {}, {}, {}, {}, {}});
  const auto counted = [](std::uint64_t lost, std::uint64_t errors) {
    PortReadings readings;
    readings.interfaces["swp7"] = {{"carrier_down_count", lost}, {"rx_errors", errors}};
    readings.interfaces["swp8"] = {{"rx_errors", 5 + errors}};
    return readings;
  };
  const auto report_of_switch = [&](const PortReadings& before, const PortReadings& after) {
    std::vector<CounterReport> reports =
        compare_counters(spec, healthy(2), {{leaf, before}}, {{leaf, after}});
    std::erase_if(reports, [&](const CounterReport& report) { return report.port != at_switch; });
    return reports;
  };
  const auto still = report_of_switch(counted(2, 9), counted(2, 9));
  REQUIRE(still.size() == 1);
  CHECK(still[0].interface == "swp7");
  CHECK(still[0].state == CounterState::still);
  const auto moved = report_of_switch(counted(2, 9), counted(3, 9));
  REQUIRE(moved.size() == 1);
  CHECK(moved[0].state == CounterState::moved);
  const std::vector<Diagnostic> found = counter_findings(spec, moved);
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::error);
  CHECK(found[0].message.find("leaf1/7 (swp7) counted a lost link") == 0);
  // A switch without counters is not missed, one that does not answer is.
  for (const CounterReport& report : compare_counters(spec, healthy(2), {}, {}))
    CHECK(report.port != at_switch);
  PortReadings unread;
  unread.why_not = "nv: connection lost";
  for (const auto& silent :
       {report_of_switch(counted(2, 9), unread),
        report_of_switch(unread, counted(2, 9)),
        report_of_switch(unread, unread)}) {
    REQUIRE(silent.size() == 1);
    CHECK(silent[0].state == CounterState::unknown);
    CHECK(silent[0].why_unknown == unread.why_not);
  }
}

}  // namespace
}  // namespace fabric::verify::test
