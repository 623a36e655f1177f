// SPDX-License-Identifier: Apache-2.0
// Where rules point: the exact place, and the second one where a finding relates two.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/model/document/load.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

using Lines = std::vector<std::string>;

// "12:5 slug (9:3)": line and column of each finding, then those of what it relates to.
Lines places(const std::string& body) {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", "apiVersion: fabric/v1\nname: case\n" + body);
  Lines lines;
  const auto text = [&](const SourceRange& range) {
    const Position at = sources.position(range.file, range.begin);
    return std::to_string(at.line) + ":" + std::to_string(at.column);
  };
  const LoadedDocument loaded = load_document(sources, {file});
  for (const Diagnostic& item : loaded.diagnostics.items()) {
    // Not each of the three nodes is in a network.
    if (item.severity == Severity::info || item.rule == "node-without-cable") continue;
    std::string line = text(item.range) + " " + item.rule;
    for (const Note& note : item.related)
      line += " (" + text(note.range) + ")";
    lines.push_back(line);
  }
  return lines;
}

const std::string kThree =  // lines 3 and 4
    "nodes:\n"
    "  n[1-3]: {adapters: {cx5: {model: connectx-5}}}\n";

TEST_CASE("a port with two cables shows both ends that claim it", "[model]") {
  CHECK(
      places(
          kThree + "networks:\n"
                   "  lan:\n"
                   "    mode: ethernet\n"
                   "    cables:\n"
                   "      - [n1/1, n2/1]\n"
                   "      - [n3/1, n1/1]\n") == Lines{"10:16 port-reused (9:10)"});
}

TEST_CASE("a port of two networks shows both uses", "[model]") {
  CHECK(
      places(
          kThree + "networks:\n"
                   "  a:\n"
                   "    mode: ethernet\n"
                   "    cables: [[n1/1, n2/1]]\n"
                   "  b:\n"
                   "    mode: ethernet\n"
                   "    ports: [n2/1]\n") == Lines{"11:13 port-two-networks (8:21)"});
}

TEST_CASE("overlapping subnets point at the later and relate the earlier", "[model]") {
  CHECK(
      places(
          kThree + "networks:\n"
                   "  z: {mode: ethernet, ipv4: {subnet: 10.0.0.0/8}, ports: [n1/1]}\n"
                   "  a: {mode: ethernet, ipv4: {subnet: 10.1.0.0/16}, ports: [n1/2]}\n") ==
      Lines{"7:38 subnet-overlap (6:38)"});
}

TEST_CASE("an address given twice shows both lines", "[model]") {
  CHECK(
      places(
          kThree + "networks:\n"
                   "  lan:\n"
                   "    mode: ethernet\n"
                   "    ports: [\"n[1-2]/1\"]\n"
                   "    ipv4:\n"
                   "      subnet: 10.0.0.0/24\n"
                   "      addresses:\n"
                   "        n1: 10.0.0.9\n"
                   "        n2: 10.0.0.9\n") == Lines{"13:13 address-conflict (12:13)"});
}

TEST_CASE("a card that can't chain is shown at its model, with the cable", "[model]") {
  CHECK(places("nodes:\n"
               "  n1: {adapters: {hca: {model: connectx-5}}}\n"
               "  n2:\n"
               "    adapters:\n"
               "      hca: {model: connectx-7}\n"
               "networks:\n"
               "  ring:\n"
               "    mode: chain\n"
               "    ipv4: {subnet: 10.0.0.0/24}\n"
               "    cables: [{ring: [n1, n2]}]\n")
            .front()
            .starts_with("7:20 chain-adapter-unsupported (12:"));
}

TEST_CASE("two managers of one subnet with one priority show both", "[model]") {
  CHECK(
      places(
          kThree + "networks:\n"
                   "  ib:\n"
                   "    mode: infiniband\n"
                   "    cables: [[n1/1, n2/1]]\n"
                   "    subnet_managers:\n"
                   "      - {node: n1, priority: 5}\n"
                   "      - {node: n2, priority: 5}\n") == Lines{"11:30 sm-priority-tie (10:30)"});
  // With a subnet each there is no tie.
  CHECK(places(
            kThree + "networks:\n"
                     "  ib:\n"
                     "    mode: infiniband\n"
                     "    cables: [[n1/1, n2/1], [n2/2, n3/1]]\n"
                     "    subnet_managers:\n"
                     "      - {node: n1, priority: 5}\n"
                     "      - {node: n3, priority: 5}\n")
            .empty());
}

TEST_CASE("a ring of hosts in InfiniBand mode is as many subnets as cables", "[model]") {
  CHECK(
      places(
          kThree + "networks:\n"
                   "  ib:\n"
                   "    mode: infiniband\n"
                   "    cables: [{ring: [n1, n2, n3]}]\n"
                   "    subnet_managers:\n"
                   "      - {node: n1, port: 1}\n") ==
      Lines{"8:14 sm-missing (6:3)", "8:14 sm-missing (6:3)"});
}

TEST_CASE("P_Keys that differ in bit 15 only show both", "[model]") {
  CHECK(
      places(
          kThree + "networks:\n"
                   "  ib:\n"
                   "    mode: infiniband\n"
                   "    cables: [[n1/1, n2/1]]\n"
                   "    subnet_managers: [{node: n1}]\n"
                   "    partitions:\n"
                   "      a: {pkey: 1, members: {ALL: full}}\n"
                   "      b: {pkey: \"0x8001\", members: {ALL: full}}\n") ==
      Lines{"12:17 pkey-duplicate (11:17)"});
}

TEST_CASE("port types in the wrong order show both ports", "[model]") {
  CHECK(
      places("nodes:\n"
             "  n[1-2]: {adapters: {hca: {model: connectx-3}}}\n"
             "networks:\n"
             "  eth: {mode: ethernet, ports: [n1/1]}\n"
             "  ib:\n"
             "    mode: infiniband\n"
             "    cables: [[n1/2, n2/1]]\n"
             "    subnet_managers: [{node: n1}]\n") == Lines{"9:15 port-types-order (6:33)"});
}

TEST_CASE("a parameter that a mode owns shows the mode", "[model]") {
  CHECK(
      places("nodes:\n"
             "  n1:\n"
             "    adapters:\n"
             "      hca: {model: connectx-5, firmware: {params: {LINK_TYPE_P1: 1}}}\n"
             "networks:\n"
             "  lan: {mode: ethernet, ports: [n1/1]}\n") ==
      Lines{"6:66 firmware-param-conflict (8:15)"});
}

TEST_CASE("too few virtual functions show both numbers", "[model]") {
  CHECK(
      places("nodes:\n"
             "  n1:\n"
             "    adapters:\n"
             "      hca:\n"
             "        model: connectx-6\n"
             "        sriov: {vfs: 8}\n"
             "        firmware: {params: {NUM_OF_VFS: 8}}\n") ==
      Lines{"9:41 sriov-vfs-reserve (8:16)"});
}

TEST_CASE("a mistake in a set of a thousand nodes is at one place for each of them", "[model]") {
  const Lines found = places(
      "nodes:\n"
      "  n[1-1000]: {adapters: {hca: {model: connectx-4-lx}}}\n"
      "networks:\n"
      "  ib:\n"
      "    mode: infiniband\n"
      "    subnet_manager: {external: true}\n"
      "    ports: [\"n[1-1000]/1\"]\n");
  REQUIRE(found.size() == 1000);
  CHECK(found.front().starts_with("9:13 link-type-unsupported"));
  CHECK(std::all_of(
      found.begin(), found.end(), [&](const auto& each) { return each == found.front(); }));
}

}  // namespace
}  // namespace fabric
