// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/provenance.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/model/decoded.hpp"

namespace fabric {
namespace {

using Lines = std::vector<std::string>;

const char* const kDocument = R"(name: ring
defaults:
  ssh: {user: root, port: 22}
profiles:
  storage: {ssh: {user: admin}, adapters: {"cx[5-6]": {model: connectx-5-vpi, serial: "S[5-6]"}}}
nodes:
  pve[1-2]:
    address: 192.0.2.[11-12]
    profiles: [storage]
    adapters: {cx5: {firmware: {minimum: "16.35"}}}
  a.b: {host: 9}
networks:
  net:
    mode: chain
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24, addresses: {pve2/cx5/1: 10.30.0.99}}
    cables: [{ring: [pve1/cx5, pve2/cx5]}]
rollout: {canary: [pve1]}
)";

Lines explain(const char* address) {
  const Decoded decoded = decode(kDocument);
  REQUIRE(decoded.findings() == Lines{});
  const auto found = explain_address(decoded.document, decoded.spec, address);
  if (!found) return {found.error().message};
  Lines lines;
  for (const Provenance& each : *found) {
    const std::string place = is_known(each.range) ? " @" + decoded.place(each.range) : "";
    lines.push_back(each.path + " = " + each.value + " (" + each.origin + ")" + place);
  }
  return lines;
}

TEST_CASE("a value says which layer gave it") {
  CHECK(
      explain("nodes.pve1.ssh") == Lines{
                                       "nodes.pve1.ssh.user = admin (profile storage) @5:25",
                                       "nodes.pve1.ssh.port = 22 (defaults) @3:27"});
  CHECK(
      explain("nodes.pve2.address") ==
      Lines{"nodes.pve2.address = 192.0.2.12 (node set pve[1-2]) @8:14"});
  CHECK(explain("nodes.a.b.host") == Lines{"nodes.a.b.host = 9 (node) @11:15"});
  CHECK(explain("name") == Lines{"name = ring (document) @1:7"});
}

TEST_CASE("a value that no line gave says which default it is") {
  CHECK(
      explain("nodes.pve2.host") ==
      Lines{"nodes.pve2.host = 2 (default: the trailing digits of the name)"});
  CHECK(
      explain("nodes.a.b.address") ==
      Lines{"nodes.a.b.address = a.b (default: the node's own name)"});
  CHECK(explain("nodes.pve1.platform") == Lines{"nodes.pve1.platform = linux (default)"});
  CHECK(explain("rollout.max_unavailable") == Lines{"rollout.max_unavailable = 1 (default)"});
  CHECK(
      explain("rollout.confirm_timeout") ==
      Lines{
          "rollout.confirm_timeout = " + format_duration(std::chrono::minutes{2}) + " (default)"});
}

TEST_CASE("an adapter is explained by its own address") {
  CHECK(
      explain("pve1/cx5") ==
      Lines{
          "nodes.pve1.adapters.cx5.model = connectx-5-vpi (profile storage) @5:63",
          "nodes.pve1.adapters.cx5.serial = S5 (profile storage) @5:87",
          "nodes.pve1.adapters.cx5.firmware.minimum = 16.35 (node set pve[1-2]) @10:42",
          "nodes.pve1.adapters.cx5.ports = 2 (default: of the model connectx-5-vpi)"});
  CHECK(explain("nodes.pve1.adapters.cx6.serial").front().find("= S6 ") != std::string::npos);
}

TEST_CASE("a port says its network, cable and address, allocated or written") {
  CHECK(
      explain("pve1/cx5/2") ==
      Lines{
          "pve1/cx5/2 network = net (mode chain) @13:3",
          "pve1/cx5/2 mtu = 9000 (networks.net) @15:10",
          "pve1/cx5/2 cable = pve2/cx5/1 (networks.net) @17:14",
          "pve1/cx5/2 ipv4 = 10.30.0.2/24 (allocation (per port)) @16:20"});
  CHECK(explain("pve2/cx5/1").back() == "pve2/cx5/1 ipv4 = 10.30.0.99/24 (document) @16:58");
}

TEST_CASE("a network shows what is written and what was allocated") {
  const Lines lines = explain("networks.net.ipv4");
  REQUIRE(lines.size() == 6);
  CHECK(lines[0] == "networks.net.ipv4.subnet = 10.30.0.0/24 (document) @16:20");
  CHECK(
      lines[3] ==
      "networks.net.ipv4.addresses.pve1/cx5/2 = 10.30.0.2/24 (allocation (per port)) @16:20");
}

TEST_CASE("a resource says what is desired of it, why, and what must be right before it") {
  Resource resource{{*NodeName::parse("pve1"), "settings", "cx5"}, {}, {}, {}, {}};
  resource.desired.emplace("LINK_TYPE_P1", DesiredAttribute{2, {}, "mode chain needs Ethernet"});
  resource.after.push_back({resource.address.node, "adapter", "cx5"});
  const std::vector<Provenance> found = explain_resource(resource);
  REQUIRE(found.size() == 2);
  CHECK(found[0].path == "pve1/settings/cx5 LINK_TYPE_P1");
  CHECK(found[0].value == "2");
  CHECK(found[0].origin == "mode chain needs Ethernet");
  CHECK(found[1].path == "pve1/settings/cx5 after");
  CHECK(found[1].value == "pve1/adapter/cx5");
}

TEST_CASE("what is not there is said with the nearest name") {
  CHECK(explain("nodes.pve3") == Lines{"there is no node 'pve3'; did you mean 'pve1'?"});
  CHECK(explain("networks.nett.mtu") == Lines{"there is no network 'nett'; did you mean 'net'?"});
  CHECK(explain("pve1/cx5/3") == Lines{"pve1/cx5 has no port '3'; the adapter has ports 1 to 2"});
  CHECK(
      explain("nodes.pve1.nothing") ==
      Lines{"nothing in the document gives 'nodes.pve1.nothing' a value"});
}

}  // namespace
}  // namespace fabric
