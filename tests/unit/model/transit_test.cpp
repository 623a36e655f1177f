// SPDX-License-Identifier: Apache-2.0
// Hosts that forward: their tables, addresses by cable, and the resources that follow.
#include "engine/model/topology/transit.hpp"

#include "engine/base/random.hpp"

#include "tests/unit/model/decoded.hpp"
#include "tests/unit/model/expanded.hpp"

namespace fabric {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;
using test::Lines;

NodeName node(std::size_t number) {
  return *NodeName::parse("n" + std::to_string(100 + number));
}

NetworkSpec network_of(const Edges& edges) {
  NetworkSpec network;
  std::map<std::size_t, std::uint32_t> used;
  for (const auto& [a, b] : edges) {
    PortRef one{node(a), "hca", std::to_string(++used[a])};
    PortRef other{node(b), "hca", std::to_string(++used[b])};
    network.cables.push_back({{std::move(one), {}}, {std::move(other), {}}, {}, "", "", "", ""});
  }
  return network;
}

Edges ring_of(std::size_t size) {
  Edges edges;
  for (std::size_t i = 0; i < size; ++i)
    edges.emplace_back(i, (i + 1) % size);
  return edges;
}

Edges mesh_of(std::size_t size) {
  Edges edges;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = i + 1; k < size; ++k)
      edges.emplace_back(i, k);
  }
  return edges;
}

TEST_CASE("rings, chains and full meshes stand the loss of any cable and of any host", "[model]") {
  for (std::size_t size = 3; size <= 12; ++size) {
    CAPTURE(size);
    const NetworkSpec ring = network_of(ring_of(size));
    const TransitGraph graph{ring};
    CHECK_FALSE(graph.unprotected());
    CHECK(graph.bridge() == nullptr);
    CHECK(graph.diameter() == size / 2);
    Edges open = ring_of(size);
    open.pop_back();
    const NetworkSpec chain = network_of(open);
    CHECK_FALSE(TransitGraph{chain}.unprotected());
    CHECK(TransitGraph{chain}.bridge() == &chain.cables.front());
  }
  for (std::size_t size = 3; size <= 6; ++size) {
    const NetworkSpec mesh = network_of(mesh_of(size));
    CHECK_FALSE(TransitGraph{mesh}.unprotected());
  }
}

// Where a way is found, it ends; where none is, the document's author is told which.
TEST_CASE("whatever is cabled how, each list leads by ports of the host, each once", "[model]") {
  Random random{7};
  for (int round = 0; round < 60; ++round) {
    const std::size_t size = 3 + random.below(6);
    Edges edges;
    for (std::size_t i = 1; i < size; ++i)
      edges.emplace_back(i, random.below(i));
    for (std::size_t more = random.below(size); more > 0; --more) {
      const std::size_t a = random.below(size);
      const std::size_t b = random.below(size);
      if (a != b) edges.emplace_back(a, b);
    }
    const NetworkSpec network = network_of(edges);
    const TransitGraph graph{network};
    CHECK_FALSE(graph.apart());
    for (const NodeName& from : graph.nodes()) {
      std::set<std::tuple<std::optional<PortRef>, NodeName, PortRef>> seen;
      std::set<NodeName> reached;
      for (const TransitRoute& route : graph.routes(from)) {
        CHECK(route.out.node == from);
        CHECK(seen.emplace(route.in, route.to, route.out).second);
        if (!route.in && route.rank == 0) reached.insert(route.to);
      }
      CHECK(reached.size() == size - 1);
    }
  }
}

// The reason for tables by port: what was turned round at the cut goes on round.
TEST_CASE("what comes in by a port of a ring goes on by the other, and back only then", "[model]") {
  const NetworkSpec ring = network_of(ring_of(5));
  for (const TransitRoute& route : TransitGraph{ring}.routes(node(0))) {
    if (!route.in) continue;
    CHECK((route.out == *route.in) == (route.rank == 1));
  }
}

TEST_CASE("two hosts that split a ring are told, neighbours split nothing", "[model]") {
  const NetworkSpec ring = network_of(ring_of(4));
  const auto pairs = TransitGraph{ring}.splitting_pairs();
  CHECK(pairs == std::vector{std::pair{node(0), node(2)}, std::pair{node(1), node(3)}});
  const NetworkSpec mesh = network_of(mesh_of(5));
  CHECK(TransitGraph{mesh}.splitting_pairs().empty());
}

std::string document(const std::string& ip, const std::string& cables) {
  return R"(apiVersion: fabric/v1
name: case
nodes:
  n[1-4]: {adapters: {hca: {model: connectx-7-en}}}
networks:
  net:
    mode: ethernet
    ipv4: )" +
         ip + R"(
    loopback: {subnet: 10.41.0.0/24}
    transit: static
    cables: )" +
         cables + "\n";
}

Lines addresses(const std::string& ip, const std::string& cables) {
  const std::string text = document(ip, cables);
  const Decoded decoded = decode(text.substr(text.find("nodes:")));
  CHECK(decoded.findings() == Lines{});
  return address_lines(decoded.network("net").ipv4);
}

TEST_CASE(
    "each cable has its part of the subnet, and one more at the end changes none", "[model]") {
  const std::string per_cable = "{per: cable, subnet: 10.40.0.0/24}";
  CHECK(
      addresses(per_cable, "[[n1/1, n2/2], [n3/2, n2/1]]") ==
      Lines{
          "n1/hca/1 10.40.0.0", "n2/hca/1 10.40.0.2", "n2/hca/2 10.40.0.1", "n3/hca/2 10.40.0.3"});
  // Which end is written first has no meaning.
  CHECK(
      addresses(per_cable, "[[n2/2, n1/1], [n2/1, n3/2]]") ==
      addresses(per_cable, "[[n1/1, n2/2], [n3/2, n2/1]]"));
  const Lines before = addresses(per_cable, "[[n1/1, n2/2], [n2/1, n3/2]]");
  const Lines after = addresses(per_cable, "[[n1/1, n2/2], [n2/1, n3/2], [n3/1, n4/2]]");
  CHECK(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  CHECK(after.size() == before.size() + 2);
  CHECK(
      addresses("{per: cable, prefix: 30, subnet: 10.40.0.0/24}", "[[n1/1, n2/2], [n2/1, n3/2]]") ==
      Lines{
          "n1/hca/1 10.40.0.1", "n2/hca/1 10.40.0.5", "n2/hca/2 10.40.0.2", "n3/hca/2 10.40.0.6"});
}

TEST_CASE(
    "a port of a ring has its loopback, ways to all others, and a table of its own", "[model]") {
  const test::Expanded expanded =
      test::expand_text(document("{per: cable, subnet: 10.40.0.0/24}", "[{ring: ['n[1-3]']}]"));
  const Resource& port = expanded.at("n1/interface/hca.1");
  CHECK(to_json(port.desired.at("addresses").value) == R"(["10.40.0.0/31","10.41.0.1/32"])");
  CHECK(to_json(port.desired.at("incoming_table").value) == "4001");
  // The neighbour first, the way round behind it; then the two tables.
  CHECK(
      to_json(port.desired.at("routes").value) ==
      R"([{"metric":20,"source":"10.41.0.1","to":"10.41.0.2/32","via":"10.40.0.1"},)"
      R"({"metric":30,"source":"10.41.0.1","to":"10.41.0.3/32","via":"10.40.0.1"},)"
      R"({"metric":30,"table":4001,"to":"10.41.0.2/32","via":"10.40.0.1"},)"
      R"({"metric":30,"table":4001,"to":"10.41.0.3/32","via":"10.40.0.1"},)"
      R"({"metric":20,"table":4002,"to":"10.41.0.2/32","via":"10.40.0.1"},)"
      R"({"metric":20,"table":4002,"to":"10.41.0.3/32","via":"10.40.0.1"}])");
  const Resource& kernel = expanded.at("n1/forwarding/hca.1");
  CHECK(to_json(kernel.desired.at("forwarding").value) == R"("1")");
  CHECK(to_json(kernel.desired.at("rp_filter").value) == R"("2")");
}

TEST_CASE("equal ways are one route, at the last of their ports and after the others", "[model]") {
  const test::Expanded expanded =
      test::expand_text(document("{per: cable, subnet: 10.40.0.0/24}", "[{ring: ['n[1-4]']}]"));
  const Resource& last = expanded.at("n1/interface/hca.2");
  CHECK(
      to_json(last.desired.at("routes").value.as_list()->front()) ==
      R"({"hops":["10.40.0.1","10.40.0.7"],"metric":10,"source":"10.41.0.1","to":"10.41.0.3/32"})");
  const ResourceAddress first = expanded.at("n1/interface/hca.1").address;
  CHECK(std::count(last.after.begin(), last.after.end(), first) == 1);
  const Resource& policy = expanded.at("n1/sysctl/net");
  CHECK(to_json(policy.desired.at("net.ipv4.fib_multipath_hash_policy").value) == R"("1")");
}

}  // namespace
}  // namespace fabric
