// SPDX-License-Identifier: Apache-2.0
#include "tests/support/catch.hpp"
#include "tests/unit/model/decoded.hpp"

namespace fabric {
namespace {

using Lines = std::vector<std::string>;

// Four dual-port hosts, two eight-card hosts of one port each, two switches.
Decoded wire(const std::string& cables, const std::string& more = "") {
  return decode(
      R"(nodes:
  pve[1-4]: {adapters: {cx5: {model: connectx-5-vpi}}}
  g[1-2]: {adapters: {"hca[0-7]": {model: connectx-6-vpi, ports: 1}}}
  leaf[1-2]: {platform: unmanaged}
networks:
  net:
    mode: ethernet
    cables: )" +
      cables + "\n" + more);
}

Lines cables(const std::string& text) {
  const Decoded decoded = wire(text);
  CHECK(decoded.findings() == Lines{});
  return cable_lines(decoded.network("net"));
}

TEST_CASE("a cable is two ends, or a mapping with its particulars") {
  CHECK(cables("[[pve1/1, pve2/cx5/2]]") == Lines{"pve1/cx5/1 - pve2/cx5/2"});
  const Decoded decoded =
      wire("[{ends: [pve1/1, leaf1/7], label: C7, length: 3, type: dac, speed: 100}]");
  const CableSpec& cable = decoded.network("net").cables.at(0);
  CHECK(cable.b.value.str() == "leaf1/7");
  CHECK(cable.label == "C7");
  CHECK(cable.length == "3");
  CHECK(cable.type == "dac");
  CHECK(cable.speed == "100");
  CHECK(decoded.place(cable.b.range) == "8:30");
}

TEST_CASE("a switch port has one to four numbers") {
  CHECK(
      cables("[[leaf1/7, leaf2/1/7], [leaf1/1/07/2, pve1/1]]") ==
      Lines{"leaf1/7 - leaf2/1/7", "leaf1/1/7/2 - pve1/cx5/1"});
  CHECK(
      wire("[[leaf1/1/2/3/4/5, leaf2/x]]").findings() ==
      Lines{
          "8:15 port-unknown: '1/2/3/4/5' is not a port of leaf1",
          "8:32 port-unknown: 'x' is not a port of leaf2"});
}

TEST_CASE("a ring joins port 1 of each to port 2 of the next, closed; a chain leaves it open") {
  CHECK(
      cables("[{ring: [pve1, 'pve[3-4]']}]") ==
      Lines{"pve1/cx5/1 - pve3/cx5/2", "pve3/cx5/1 - pve4/cx5/2", "pve4/cx5/1 - pve1/cx5/2"});
  CHECK(
      cables("[{ring: ['pve[1-2]']}]") ==
      Lines{"pve1/cx5/1 - pve2/cx5/2", "pve2/cx5/1 - pve1/cx5/2"});
  CHECK(
      cables("[{chain: ['pve[1-3]']}]") ==
      Lines{"pve1/cx5/1 - pve2/cx5/2", "pve2/cx5/1 - pve3/cx5/2"});
  CHECK(cables("[{chain: [pve1/cx5, pve2/cx5]}]") == Lines{"pve1/cx5/1 - pve2/cx5/2"});
  CHECK(
      wire("[{ring: [pve1]}]").findings() ==
      Lines{"8:21 out-of-range: a ring needs at least 2 nodes, here is 1"});
}

TEST_CASE("a mesh takes the lowest free port of each pair in list order") {
  CHECK(
      cables("[{mesh: ['pve[1-3]']}]") ==
      Lines{"pve1/cx5/1 - pve2/cx5/1", "pve1/cx5/2 - pve3/cx5/1", "pve2/cx5/2 - pve3/cx5/2"});
  CHECK(
      cables("[{mesh: [g1, g2, leaf1]}, [g1/hca0/1, leaf1/1]]") == Lines{
                                                                       "g1/hca0/1 - leaf1/1",
                                                                       "g1/hca1/1 - g2/hca0/1",
                                                                       "g1/hca2/1 - leaf1/2",
                                                                       "g2/hca1/1 - leaf1/3"});
  CHECK(
      wire("[{mesh: ['pve[1-4]']}]").findings() ==
      Lines{"8:22 port-unknown: pve1 has no free port left for a mesh of 4 nodes"});
}

TEST_CASE("a mesh leaves alone what another network uses") {
  const Decoded decoded =
      wire("[{mesh: ['pve[1-2]']}]", "  other:\n    mode: ethernet\n    ports: [pve2/1]\n");
  CHECK(decoded.findings() == Lines{});
  CHECK(cable_lines(decoded.network("net")) == Lines{"pve1/cx5/1 - pve2/cx5/2"});
}

TEST_CASE("sets of several ranges zip in both ends, also in 'for'") {
  CHECK(
      cables("[['pve[1-2]/[1-2]', 'leaf1/[5-8]']]") == Lines{
                                                           "pve1/cx5/1 - leaf1/5",
                                                           "pve1/cx5/2 - leaf1/6",
                                                           "pve2/cx5/1 - leaf1/7",
                                                           "pve2/cx5/2 - leaf1/8"});
  CHECK(
      cables("[{for: {i: 1-2}, ends: ['pve{i}/[1-2]', 'leaf1/1/{i}/[1-2]']}]") ==
      Lines{
          "pve1/cx5/1 - leaf1/1/1/1",
          "pve1/cx5/2 - leaf1/1/1/2",
          "pve2/cx5/1 - leaf1/1/2/1",
          "pve2/cx5/2 - leaf1/1/2/2"});
}

TEST_CASE("sets in both ends zip") {
  CHECK(
      cables("[['pve[1-3]/1', 'leaf1/[05-07]']]") ==
      Lines{"pve1/cx5/1 - leaf1/5", "pve2/cx5/1 - leaf1/6", "pve3/cx5/1 - leaf1/7"});
  CHECK(
      wire("[['pve[1-3]/1', 'leaf1/[1-4]'], ['pve[1-3]/1', leaf1/1], ['pve[1-2]/[1-2]', "
           "'leaf1/[1-5]'], ['pve[1-', leaf1/1]]")
          .findings() ==
      Lines{
          "8:29 bad-node-set: sets do not zip: 'pve[1-3]/1' names 3, 'leaf1/[1-4]' names 4",
          "8:60 bad-node-set: sets do not zip: 'pve[1-3]/1' names 3, 'leaf1/1' is one",
          "8:89 bad-node-set: sets do not zip: 'pve[1-2]/[1-2]' names 4, 'leaf1/[1-5]' names 5",
          "8:106 bad-node-set: 'pve[1-' has brackets that do not pair"});
}

TEST_CASE("for repeats a cable for every combination, the last variable fastest") {
  CHECK(
      cables("[{for: {i: 1-2, r: 0-1}, ends: ['g{i}/hca{r}/1', 'leaf{i}/{r}{i}']}]") ==
      Lines{
          "g1/hca0/1 - leaf1/1",
          "g1/hca1/1 - leaf1/11",
          "g2/hca0/1 - leaf2/2",
          "g2/hca1/1 - leaf2/12"});
  CHECK(
      cables("[{for: {l: 1-2}, ends: ['leaf{l}/[30-31]', 'pve[1-2]/{l}']}]") ==
      Lines{
          "leaf1/30 - pve1/cx5/1",
          "leaf1/31 - pve2/cx5/1",
          "leaf2/30 - pve1/cx5/2",
          "leaf2/31 - pve2/cx5/2"});
  CHECK(cables("[{for: {i: 3}, ends: ['pve{i}/1', leaf1/3]}]") == Lines{"pve3/cx5/1 - leaf1/3"});
}

TEST_CASE("a for that can't be meant is refused") {
  CHECK(
      wire("[{for: {i: 1-x}, ends: ['pve{i}/1', leaf1/1]}]").findings() ==
      Lines{"8:24 bad-node-set: '1-x' is not a range for 'i'"});
  CHECK(
      wire("[{for: {i: 1-2}, ends: ['pve{i}/1', 'leaf1/{k}']}]").findings() ==
      Lines{"8:49 bad-node-set: 'for' has no 'k', only i"});
  CHECK(
      wire("[{for: {i: 1-2, k: 1-9}, ends: ['pve{i}/1', 'leaf1/{i}']}]").findings() ==
      Lines{"8:29 bad-node-set: neither end names '{k}'"});
  CHECK(
      wire("[{ends: ['pve{i}/1', leaf1/1]}]").findings() ==
      Lines{"8:22 bad-node-set: '{i}' stands without a 'for'"});
  CHECK(
      wire("[{for: {a: 1-9999, b: 1-9999}, ends: ['pve{a}/1', 'leaf1/{b}']}]").findings() ==
      Lines{"8:20 bad-node-set: 'for' makes more than 1000000 cables"});
}

TEST_CASE("a mesh of absurd size is refused before it takes memory") {
  std::string stations = "leaf[1";
  for (int i = 0; i < 1000; ++i)
    stations += ",2";
  const Decoded decoded = wire("[{mesh: ['" + stations + "]']}]");
  CHECK(decoded.network("net").cables.empty());
  CHECK(decoded.findings() == Lines{"8:14 out-of-range: a mesh can't be made of 1001 nodes"});
}

TEST_CASE("an endpoint that does not exist says what was meant") {
  const Decoded decoded = wire("[[pvee1/1, pve1/3], [pve1, pve1/cx6/1], [g1/1, leaf1/0]]");
  REQUIRE(
      decoded.findings() ==
      Lines{
          "8:15 node-unknown: there is no node 'pvee1'",
          "8:24 port-unknown: pve1/cx5 has no port '3'",
          "8:34 port-unknown: 'pve1' names a node, not one of its ports",
          "8:40 port-unknown: pve1 has no adapter 'cx6'",
          "8:54 port-unknown: g1 has 8 adapters: hca0, hca1, hca2, hca3, hca4, hca5, hca6, hca7",
          "8:60 port-unknown: '0' is not a port of leaf1"});
  const auto& items = decoded.diagnostics.items();
  CHECK(items[0].help == "did you mean 'pve1'?");
  CHECK(items[1].help == "the adapter has ports 1 to 2");
  CHECK(items[3].help == "did you mean 'cx5'?");
  CHECK(items[4].help == "name one of them, and its port by number: g1/hca0/1");
}

TEST_CASE("a pattern with one mistake has a finding for each member, alike for the reader") {
  const Decoded decoded = wire("[['nope[1-1000]/1', 'leaf1/[1-1000]']]");
  REQUIRE(decoded.diagnostics.items().size() == 1000);
  for (const Diagnostic& item : decoded.diagnostics.items()) {
    CHECK(item.message == "there is no node '" + item.subject.name + "'");
  }
}

TEST_CASE("ports join a network without a cable") {
  const Decoded decoded = wire("[]", "    ports: ['pve[1-2]/[1-2]', nope/1]\n");
  CHECK(decoded.network("net").ports.size() == 4);
  CHECK(decoded.findings() == Lines{"9:31 node-unknown: there is no node 'nope'"});
}

}  // namespace
}  // namespace fabric
