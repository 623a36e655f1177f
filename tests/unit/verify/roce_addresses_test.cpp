// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/flows/flow_findings.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/found.hpp"
#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {
namespace {

// 10.30.0.1 and 10.30.0.2 are the addresses of the first node.
PortReadings readings(const std::string& type_of_second) {
  PortReadings all;
  RdmaPort port;
  port.device = "rocep1s0f0";
  port.gids = {
      {0, "fe80:0000:0000:0000:0e42:a1ff:fe8c:51a8", "IB/RoCE v1", ""},
      {2, "0000:0000:0000:0000:0000:ffff:0a1e:0001", "IB/RoCE v1", ""},
      {3, "0000:0000:0000:0000:0000:ffff:0a1e:0001", "RoCE v2", ""}};
  all.rdma.push_back(port);
  port.device = "rocep1s0f1";
  port.gids = {{2, "0000:0000:0000:0000:0000:ffff:0a1e:0002", type_of_second, ""}};
  all.rdma.push_back(port);
  return all;
}

std::vector<RoceAddressReport> reports(const std::string& type_of_second, FabricSpec spec) {
  return roce_addresses(spec, {{node(1), readings(type_of_second)}, {node(2), PortReadings{}}});
}

TEST_CASE("each address has its GID of RoCE v2, found by the address", "[verify]") {
  const std::vector<RoceAddressReport> found = reports("RoCE v2", ring(2));
  REQUIRE(found.size() == 2);  // the second node has no RDMA device
  CHECK(found[0].rdma == "rocep1s0f0/1");
  CHECK(found[0].index == 3);
  CHECK(found[1].index == 2);
  CHECK(found_by([&](Findings& findings) { add_roce_findings(found, findings); }).empty());
}

TEST_CASE("an address that has only a GID of RoCE v1, or none, is an error", "[verify]") {
  const auto finding = [](const std::vector<RoceAddressReport>& found) {
    return found_by([&](Findings& findings) { add_roce_findings(found, findings); });
  };
  const std::vector<Diagnostic> old = finding(reports("IB/RoCE v1", ring(2)));
  REQUIRE(old.size() == 1);
  CHECK(old[0].rule == "roce-gid-missing");
  CHECK(
      old[0].message ==
      "rocep1s0f1/1 of pve1 has 10.30.0.2 as RoCE v1 only, which no router and few peers take");
  FabricSpec other = ring(2);
  other.networks.at("storage").ipv4.addresses.at(port(1, 2)).front().value =
      *IpAddress::parse("10.30.0.99");
  const std::vector<Diagnostic> none = finding(reports("RoCE v2", other));
  REQUIRE(none.size() == 1);
  CHECK(
      none[0].message ==
      "no RDMA device of pve1 has a GID of 10.30.0.99, so RDMA can't use the address");
}

TEST_CASE("InfiniBand has no RoCE, and a bond that wants none is left alone", "[verify]") {
  FabricSpec spec = ring(2);
  spec.networks.at("storage").mode.value = Mode::infiniband;
  CHECK(reports("RoCE v2", spec).empty());
  spec.networks.at("storage").mode.value = Mode::lag;
  spec.networks.at("storage").lag.emplace();
  spec.networks.at("storage").lag->roce = {false, {}};
  CHECK(reports("RoCE v2", spec).empty());
}

}  // namespace
}  // namespace fabric::verify::test
