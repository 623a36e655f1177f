// SPDX-License-Identifier: Apache-2.0
// Whatever a description says, its document says the same: written and loaded again, every node and
// every cable is there once, and nothing of a source's text is anything but text.
#include <algorithm>
#include <set>

#include "engine/base/random.hpp"
#include "engine/description/writing/node_lines.hpp"
#include "engine/description/writing/write.hpp"
#include "engine/model/document/load.hpp"

#include "tests/support/catch.hpp"

namespace fabric::description {
namespace {

struct Loaded {
  std::string text;
  LoadedDocument document;
};

Loaded load(const Description& description) {
  Loaded loaded{write_document(description, "test", {}), {}};
  SourceMap sources;
  const FileId file = sources.add("test.yaml", loaded.text);
  loaded.document = load_document(sources, {file});
  return loaded;
}

using Ends = std::pair<std::string, std::string>;

Ends ends(std::string a, std::string b) {
  return a < b ? Ends{a, b} : Ends{b, a};
}

std::set<Ends> cables_of(const Description& description) {
  std::set<Ends> found;
  const auto text = [](const End& end) {
    return end.node + "/" + (end.adapter.empty() ? "" : end.adapter + "/") + end.port;
  };
  for (const auto& [name, network] : description.networks) {
    for (const Cable& cable : network.cables)
      found.insert(ends(text(cable.a), text(cable.b)));
  }
  return found;
}

std::set<Ends> cables_of(const FabricSpec& spec) {
  std::set<Ends> found;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables)
      found.insert(ends(cable.a.value.str(), cable.b.value.str()));
  }
  return found;
}

Adapter one_port() {
  Adapter adapter;
  adapter.model = "connectx-6-vpi";
  adapter.ports = 1;
  return adapter;
}

// Leaves with hosts of two rails, spines above, and some cables pulled or moved.
Description made_up(Random& random) {
  Description made;
  Network network;
  network.mode = "infiniband";
  network.external_manager = true;
  const std::uint64_t leaves = 1 + random.below(5);
  const std::uint64_t hosts = 1 + random.below(12);
  const bool padded = random.below(2) == 0;
  for (std::uint64_t leaf = 1; leaf <= leaves; ++leaf) {
    const std::string name = "leaf" + std::to_string(leaf);
    made.nodes[name].is_switch = true;
    for (std::uint64_t host = 1; host <= hosts; ++host) {
      const std::uint64_t number = (leaf - 1) * hosts + host;
      const std::string digits = std::to_string(number);
      const std::string called =
          "c" + (padded && digits.size() < 3 ? std::string(3 - digits.size(), '0') : "") + digits;
      made.nodes[called].adapters["hca0"] = one_port();
      if (random.below(8) == 0) continue;
      network.cables.push_back(
          {{called, "hca0", "1"}, {name, "", std::to_string(host + random.below(2) * 20)}});
    }
    for (std::uint64_t spine = 1; spine <= 3; ++spine) {
      made.nodes["spine" + std::to_string(spine)].is_switch = true;
      network.cables.push_back(
          {{"spine" + std::to_string(spine), "", std::to_string(leaf)},
           {name, "", std::to_string(60 + spine)}});
    }
  }
  // Two ends of one cable, in any order.
  for (Cable& cable : network.cables)
    if (random.below(2) == 0) std::swap(cable.a, cable.b);
  made.networks.emplace("infiniband", std::move(network));
  return made;
}

TEST_CASE("a document has just the cables of its description", "[description]") {
  Random random{52};
  for (int round = 0; round < 120; ++round) {
    const Description made = made_up(random);
    const Loaded loaded = load(made);
    INFO(loaded.text);
    CHECK_FALSE(loaded.document.diagnostics.has_errors());
    CHECK(loaded.document.spec.nodes.size() == made.nodes.size());
    CHECK(cables_of(loaded.document.spec) == cables_of(made));
  }
}

TEST_CASE("what repeats is one line", "[description]") {
  Description made;
  Network& network = made.networks["infiniband"];
  network.mode = "infiniband";
  network.external_manager = true;
  for (int leaf = 1; leaf <= 36; ++leaf) {
    const std::string name = "leaf" + std::to_string(leaf);
    made.nodes[name].is_switch = true;
    for (int host = 1; host <= 18; ++host) {
      const std::string called = "c" + std::to_string((leaf - 1) * 18 + host);
      made.nodes[called].adapters["hca"] = one_port();
      network.cables.push_back({{called, "hca", "1"}, {name, "", std::to_string(host)}});
      const std::string spine = "spine" + std::to_string(host);
      made.nodes[spine].is_switch = true;
      network.cables.push_back(
          {{name, "", std::to_string(18 + host)}, {spine, "", std::to_string(leaf)}});
    }
  }
  const Loaded loaded = load(made);
  INFO(loaded.text);
  CHECK(
      loaded.text.find("  c[1-648]: {adapters: {hca: {model: connectx-6-vpi, ports: 1}}}\n") !=
      std::string::npos);
  CHECK(loaded.text.find("      - [\"c[1-648]/1\", \"leaf[1-36]/[1-18]\"]\n") != std::string::npos);
  CHECK(
      loaded.text.find(
          "      - {for: {i: 1-36}, ends: [\"leaf{i}/[19-36]\", \"spine[1-18]/{i}\"]}\n") !=
      std::string::npos);
  CHECK(cables_of(loaded.document.spec) == cables_of(made));
}

TEST_CASE("racks, addresses and GUIDs that count along share a line", "[description]") {
  Description made;
  for (int rack = 1; rack <= 2; ++rack) {
    for (int host = 1; host <= 3; ++host) {
      Node& node = made.nodes["r" + std::to_string(rack) + "n" + std::to_string(host)];
      node.address = "192.0.2." + std::to_string(10 * rack + host);
      node.user = "root";
    }
  }
  made.nodes["r2n3"].address = "192.0.2.99";
  const Loaded loaded = load(made);
  INFO(loaded.text);
  CHECK_FALSE(loaded.document.diagnostics.has_errors());
  for (const auto& [name, node] : made.nodes) {
    const NodeSpec* found = loaded.document.spec.find_node(name);
    REQUIRE(found != nullptr);
    CHECK(found->address.value == node.address);
  }
}

TEST_CASE("a ring is written as one, whichever way its cables are told", "[description]") {
  std::map<std::string, Node> nodes;
  for (const char* name : {"a", "b", "c", "d"})
    nodes[name].adapters["cx5"].ports = 2;
  std::vector<Cable> cables{
      {{"b", "cx5", "2"}, {"a", "cx5", "1"}},
      {{"c", "cx5", "1"}, {"a", "cx5", "2"}},
      {{"b", "cx5", "1"}, {"c", "cx5", "2"}},
      {{"d", "cx5", "1"}, {"d", "cx5", "2"}}};
  const std::vector<std::vector<std::string>> rings = take_rings(cables, nodes);
  CHECK(rings == std::vector<std::vector<std::string>>{{"a", "b", "c"}});
  CHECK(cables.size() == 1);
}

TEST_CASE(
    "routes, options of bonds, partitions and roots are written as they are read",
    "[description]") {
  Description made;
  for (const char* name : {"n1", "n2"})
    made.nodes[name].adapters["hca"] = one_port();
  made.nodes["switch-0002c90200411001"].is_switch = true;
  made.nodes["switch-0002c90200411001"].node_guid = "0x0002c90200411001";
  Network& fabric = made.networks["fabric"];
  fabric.mode = "infiniband";
  fabric.mtu = 4096;
  fabric.ports = {{"n1", "hca", "1"}, {"n2", "hca", "1"}, {"switch-0002c90200411001", "", "1"}};
  fabric.managers.push_back({{"n1", "hca", "1"}, 10});
  fabric.subnet_prefix = "0xfe80000000000001";
  fabric.roots = {"switch-0002c90200411001"};
  fabric.partitions = {
      {"default", 0x7fff, true, 4096, {{"ALL", {}, "full"}}},
      {"guests",
       0x10,
       true,
       2048,
       {{"", {"n1", "", ""}, "full"}, {"", {"n2", "hca", "1"}, "limited"}}}};
  Ipoib ipoib;
  ipoib.mtu = 4092;
  ipoib.ipv4.subnet = "10.40.0.0/24";
  ipoib.ipv4.gateway = "10.40.0.254";
  ipoib.ipv4.routes = {{"10.9.0.0/16", "10.40.0.253"}};
  fabric.ipoib.push_back(ipoib);
  for (const char* name : {"n1", "n2"}) {
    made.nodes[name].adapters["cx5"].model = "connectx-5-en";
    made.nodes[name].adapters["cx5"].ports = 2;
  }
  Network& bonded = made.networks["lag"];
  bonded.mode = "lag";
  bonded.ipv6.subnet = "fd00::/64";
  Lag lag;
  lag.bond = "bond0";
  lag.policy = "active-backup";
  lag.miimon = 100;
  lag.primary = "2";
  lag.roce = false;
  bonded.lag.push_back(lag);
  bonded.ports = {{"n1", "cx5", "1"}, {"n1", "cx5", "2"}, {"n2", "cx5", "1"}, {"n2", "cx5", "2"}};
  const Loaded loaded = load(made);
  INFO(loaded.text);
  for (const Diagnostic& each : loaded.document.diagnostics.items())
    INFO(each.message);
  CHECK_FALSE(loaded.document.diagnostics.has_errors());
  for (const char* line :
       {"subnet_manager: {subnet_prefix: \"0xfe80000000000001\", roots: [switch-0002c90200411001]}",
        "default: {pkey: \"0x7fff\", ipoib: true, members: {ALL: full}}",
        "guests: {pkey: \"0x0010\", ipoib: true, mtu: 2048, members: {n1: full, n2/hca/1: "
        "limited}}",
        "gateway: 10.40.0.254, routes: [{to: 10.9.0.0/16, via: 10.40.0.253}]",
        "miimon: 100, primary: \"2\", roce: false"}) {
    INFO(line);
    CHECK(loaded.text.find(line) != std::string::npos);
  }
}

TEST_CASE("text of a source is never more than text", "[description]") {
  Random random{7};
  const std::string pieces[] = {
      "\n", "\"", "'",  "\\",  "{",       "}",    "[1-2]",        ": ",  "#",
      "- ", "&a", "*a", "!!x", "\x1b[1m", "\xff", "\xe2\x80\xae", "yes", "1e3",
      "%",  "@",  "`",  "|",   ">",       "\t",   "::error::",    "é",   ","};
  for (int round = 0; round < 120; ++round) {
    std::string text;
    for (std::uint64_t i = random.below(6); i-- > 0;)
      text += pieces[random.below(std::size(pieces))];
    Description made;
    Node& node = made.nodes["a"];
    node.labels["note"] = text;
    node.notes = {text};
    made.notes = {text};
    const Loaded loaded = load(made);
    INFO(loaded.text);
    CHECK_FALSE(loaded.document.diagnostics.has_errors());
    CHECK(loaded.document.spec.nodes.size() == 1);
    CHECK(loaded.document.spec.networks.empty());
  }
}

}  // namespace
}  // namespace fabric::description
