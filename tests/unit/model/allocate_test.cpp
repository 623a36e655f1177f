// SPDX-License-Identifier: Apache-2.0
#include "tests/support/catch.hpp"
#include "tests/unit/model/decoded.hpp"

namespace fabric {
namespace {

using Lines = std::vector<std::string>;

Decoded allocate(const std::string& mode, const std::string& cables, const std::string& ip) {
  return decode(
      R"(nodes:
  pve[1-3]: {adapters: {cx5: {model: connectx-5-vpi}}}
  single: {host: 9, adapters: {cx5: {model: connectx-5-vpi, ports: 1}}}
  nameless: {adapters: {cx5: {model: connectx-5-vpi}}}
  twin2: {adapters: {cx5: {model: connectx-5-vpi}}}
  leaf1: {platform: mlnx-os}
networks:
  net:
    mode: )" +
      mode + "\n    ports: " + cables + "\n    ipv4: " + ip + "\n");
}

TEST_CASE("per node, the address is subnet plus host number") {
  const Decoded decoded =
      allocate("ethernet", "['pve[1-3]/1', single/1, leaf1/9]", "{subnet: 10.30.0.0/24}");
  CHECK(decoded.findings() == Lines{});
  CHECK(
      address_lines(decoded.network("net").ipv4) == Lines{
                                                        "pve1/cx5/1 10.30.0.1",
                                                        "pve2/cx5/1 10.30.0.2",
                                                        "pve3/cx5/1 10.30.0.3",
                                                        "single/cx5/1 10.30.0.9"});
}

TEST_CASE("per port, the k-th port of host h has the number (h-1)*n + k") {
  const Lines expected{
      "pve1/cx5/1 10.30.0.1",
      "pve1/cx5/2 10.30.0.2",
      "pve3/cx5/1 10.30.0.5",
      "pve3/cx5/2 10.30.0.6",
      "single/cx5/1 10.30.0.17"};
  const std::string ports = "['pve[1,3]/[1-2]', single/1]";
  const Decoded per_port = allocate("ethernet", ports, "{subnet: 10.30.0.0/24, per: port}");
  CHECK(per_port.findings() == Lines{});
  CHECK(address_lines(per_port.network("net").ipv4) == expected);
  // Always so in a chain.
  const Decoded chain = allocate("chain", ports, "{subnet: 10.30.0.0/24}");
  CHECK(chain.network("net").ipv4.per_port);
  CHECK(address_lines(chain.network("net").ipv4) == expected);
}

TEST_CASE("in a lag the bond has one address, at its first port") {
  const Decoded decoded = allocate("lag", "['pve[1-2]/[1-2]']", "{subnet: 10.30.0.0/24}");
  CHECK(decoded.findings() == Lines{});
  CHECK(
      address_lines(decoded.network("net").ipv4) ==
      Lines{"pve1/cx5/1 10.30.0.1", "pve2/cx5/1 10.30.0.2"});
}

TEST_CASE("written addresses win: of a node, of its ports in order, of one port, zipped") {
  const Decoded decoded = allocate(
      "ethernet",
      "['pve[1-3]/[1-2]', single/1, nameless/1]",
      "{subnet: 10.30.0.0/24, per: port, addresses: {single: 10.30.0.200, 'pve[1-2]': "
      "['10.30.0.[101-102]', '10.30.0.[111-112]'], pve3/2: 10.30.0.66, nameless: 10.30.0.77}}");
  CHECK(decoded.findings() == Lines{});
  CHECK(
      address_lines(decoded.network("net").ipv4) == Lines{
                                                        "nameless/cx5/1 10.30.0.77",
                                                        "pve1/cx5/1 10.30.0.101",
                                                        "pve1/cx5/2 10.30.0.111",
                                                        "pve2/cx5/1 10.30.0.102",
                                                        "pve2/cx5/2 10.30.0.112",
                                                        "pve3/cx5/1 10.30.0.5",
                                                        "pve3/cx5/2 10.30.0.66",
                                                        "single/cx5/1 10.30.0.200"});
}

TEST_CASE("a host number is missing only where an address needs it") {
  CHECK(allocate("ethernet", "[nameless/1]", "{}").spec.nodes.size() == 7);
  const Decoded decoded = allocate("ethernet", "[nameless/1]", "{subnet: 10.30.0.0/24}");
  REQUIRE(
      decoded.findings() ==
      Lines{"4:3 missing-key: nameless needs a 'host' number for its address in 'net'"});
  CHECK(decoded.place(decoded.diagnostics.items()[0].related.at(0).range) == "11:20");
}

TEST_CASE("several ports per node do not follow from one host number") {
  CHECK(
      allocate("ethernet", "['pve1/[1-2]']", "{subnet: 10.30.0.0/24}").findings() ==
      Lines{
          "11:11 missing-key: pve1 has 2 ports in 'net', so their addresses do not follow from one "
          "host number"});
}

TEST_CASE("a collision names both places") {
  const Decoded decoded = allocate("ethernet", "[pve2/1, twin2/1]", "{subnet: 10.30.0.0/24}");
  REQUIRE(
      decoded.findings() == Lines{"5:3 address-conflict: pve2/cx5/1 and twin2/cx5/1 both have the "
                                  "address 10.30.0.2 in 'net'"});
  CHECK(decoded.place(decoded.diagnostics.items()[0].related.at(0).range) == "2:3");
  const Decoded written = allocate(
      "ethernet", "[pve1/1, pve2/1]", "{subnet: 10.30.0.0/24, addresses: {pve2: 10.30.0.1}}");
  REQUIRE(
      written.findings() == Lines{"2:3 address-conflict: pve2/cx5/1 and pve1/cx5/1 both have the "
                                  "address 10.30.0.1 in 'net'"});
  CHECK(written.place(written.diagnostics.items()[0].related.at(0).range) == "11:52");
}

TEST_CASE("an address outside of the subnet is refused, written or automatic") {
  const Decoded decoded = allocate(
      "ethernet",
      "['pve[1-3]/1', single/1]",
      "{subnet: 10.30.0.0/29, addresses: {pve1: 10.31.0.1, pve2: 10.30.0.7}}");
  CHECK(
      decoded.findings() ==
      Lines{
          "3:18 address-outside-subnet: single/cx5/1 would have the address "
          "number 9 in 'net': 10.30.0.0/29 has no address number 9",
          "11:52 address-outside-subnet: 10.31.0.1 is outside of 10.30.0.0/29",
          "11:69 address-outside-subnet: no port can have 10.30.0.7: "
          "10.30.0.0/29 reserves it"});
}

TEST_CASE("addresses of what is not in the network, or of a wrong form, are refused") {
  const Decoded decoded = allocate(
      "ethernet",
      "['pve[1-2]/1']",
      "{subnet: 10.30.0.0/24, addresses: {pve3: 10.30.0.3, pve1/2: 10.30.0.4, pve1: [10.30.0.5, "
      "10.30.0.6], pve2: 'fd00::1', gone: 10.30.0.8, 'pve[1-2]/1': '10.30.0.[1-3]'}}");
  CHECK(
      decoded.findings() ==
      Lines{
          "11:46 node-unknown: pve3 has no port in 'net'",
          "11:63 port-unknown: pve1/cx5/2 is no port with an address of its own in 'net'",
          "11:82 out-of-range: pve1 has 1 member ports in 'net', but 2 addresses",
          "11:118 wrong-type: fd00::1 is not an IPv4 address",
          "11:129 node-unknown: there is no node 'gone'",
          "11:160 bad-node-set: sets do not zip: 'pve[1-2]/1' names 2, '10.30.0.[1-3]' names 3"});
}

TEST_CASE("addresses need a subnet, and a subnet that can be read") {
  CHECK(
      allocate("ethernet", "[pve1/1]", "{addresses: {pve1: 10.30.0.1}}").findings() ==
      Lines{"11:11 missing-key: the addresses of 'net' have no 'subnet'"});
  CHECK(
      allocate("ethernet", "[pve1/1]", "{subnet: 10.30.0.1/24}").findings() ==
      Lines{"11:20 wrong-type: '10.30.0.1/24' has bits set beyond its prefix: the subnet is "
            "10.30.0.0/24"});
}

}  // namespace
}  // namespace fabric
