// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/qos/qos.hpp"

#include "providers/linux/machine/paths/path_tests.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/found.hpp"
#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {
namespace {

FabricSpec lossless_ring() {
  FabricSpec spec = ring(2);
  QosSpec qos;
  qos.trust.value = "dscp";
  qos.lossless.push_back({3, {}});
  qos.roce_dscp.value = 26;
  qos.cnp_dscp.value = 48;
  qos.ecn.value = true;
  spec.networks.at("storage").qos = qos;
  return spec;
}

QosReport report(int number, int which, const std::string& trust) {
  QosReport made{node(number), port(number, which).str(), "storage", {}};
  made.parts = {{"trust", "dscp", trust}, {"PFC", "3", "3"}};
  return made;
}

std::vector<Diagnostic> findings(const std::vector<QosReport>& reports) {
  return found_by([&](Findings& found) { add_qos_findings(lossless_ring(), reports, found); });
}

ReadingsByNode readings(
    const std::string& pauses, const std::string& drops, const std::string& lost) {
  return {
      {node(1),
       platform::parse_port_readings(
           "fabric-ports\nens1f0np0/flow/rx_prio3_pause: " + pauses +
           "\nens1f0np0/flow/rx_prio3_discards: " + drops +
           "\nrocep1s0f0/pci:/sys/devices/0000:01:00.0\nrocep1s0f0/ports/1/link_layer:Ethernet\n"
           "rocep1s0f0/ports/1/hw_counters/out_of_sequence:" +
           lost + "\nrocep1s0f0/ports/1/hw_counters/np_cnp_sent:" + pauses + "\n")}};
}

std::vector<QosReport> counted(const ReadingsByNode& before, const ReadingsByNode& after) {
  std::vector<QosReport> reports{report(1, 1, "dscp"), report(2, 2, "dscp")};
  const CounterReport seen{
      port(1, 1), "ens1f0np0", "rocep1s0f0/1", CounterState::still, {}, {}, {}};
  add_qos_counters({seen}, before, after, reports);
  return reports;
}

TEST_CASE("one port that trusts otherwise is named, with what the other end has", "[verify]") {
  std::vector<QosReport> reports{report(1, 1, "dscp"), report(2, 2, "pcp")};
  reports[1].far = {port(1, 1).str()};
  const std::vector<Diagnostic> found = findings(reports);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "qos-differs");
  CHECK(
      found[0].message ==
      "pve2/cx5/2 is not lossless as the document says: trust is pcp instead of dscp "
      "(pve1/cx5/1 at the other end: dscp)");
}

TEST_CASE("what nobody could read is unknown, and never right", "[verify]") {
  std::vector<QosReport> reports{report(1, 1, "")};
  reports[0].parts[0].why_unknown = "no tool";
  CHECK_FALSE(reports[0].is_right());
  const std::vector<Diagnostic> found = findings(reports);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "qos-unknown");
  CHECK(found[0].severity == Severity::error);
}

TEST_CASE("pauses and congestion packets are no fault, drops and gaps are", "[verify]") {
  std::vector<QosReport> reports = counted(readings("5", "0", "2"), readings("900", "0", "2"));
  CHECK(reports[0].moved.size() == 2);
  CHECK(reports[0].lost.empty());
  CHECK(reports[1].moved.empty());
  CHECK(findings(reports).empty());
  reports = counted(readings("5", "0", "2"), readings("5", "7", "3"));
  const std::vector<Diagnostic> found = findings(reports);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "qos-frames-lost");
  CHECK(
      found[0].message ==
      "pve1/cx5/1 is in a lossless network and lost frames during the verify: rx_prio3_discards "
      "from 0 to 7, out_of_sequence from 2 to 3");
}

TEST_CASE("a network with RDMA and without qos is told once that it is lossy", "[verify]") {
  const std::vector<RoceAddressReport> in_use{
      {port(1, 1), "10.30.0.1", "rocep1s0f0/1", 3, {}}, {port(2, 1), "10.30.0.3", "", {}, {}}};
  const auto told = [&](const FabricSpec& spec, const std::vector<RoceAddressReport>& addresses) {
    return found_by([&](Findings& found) { add_lossy_findings(spec, addresses, found); });
  };
  REQUIRE(told(ring(2), in_use).size() == 1);
  CHECK(told(ring(2), in_use)[0].rule == "roce-lossy");
  CHECK(told(ring(2), in_use)[0].severity == Severity::info);
  CHECK(told(ring(2), {in_use[1]}).empty());
  CHECK(told(lossless_ring(), in_use).empty());
}

}  // namespace
}  // namespace fabric::verify::test
