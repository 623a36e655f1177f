// SPDX-License-Identifier: Apache-2.0
// Who is measured with whom, and which of them carry less than their equals.
#include <fmt/format.h>

#include "engine/base/random.hpp"
#include "engine/model/document/load.hpp"
#include "engine/verify/flows/flow_choice.hpp"
#include "engine/verify/flows/flow_findings.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/found.hpp"
#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {
namespace {

FabricSpec spec_of(const std::string& text) {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", text);
  LoadedDocument loaded = load_document(sources, {file});
  REQUIRE_FALSE(loaded.diagnostics.has_errors());
  loaded.spec.reached = {Platform::linux};
  return std::move(loaded.spec);
}

std::vector<Flow> flows_between(const FabricSpec& spec) {
  const Topology topology{spec};
  std::vector<Flow> flows;
  for (const auto& [name, network] : spec.networks) {
    for (FlowPair& pair : flow_pairs(spec, topology, network, FlowPairs::all)) {
      Flow flow{Traffic::rdma, name, {pair.a}, {pair.b}};
      flow.tool.program = "ib_send_bw";
      flow.cables = std::move(pair.route.cables);
      flow.transit = std::move(pair.route.transit);
      flows.push_back(std::move(flow));
    }
  }
  return flows;
}

FabricSpec at_a_switch(std::size_t nodes, std::size_t ports = 1) {
  std::string cables;
  for (std::size_t port = 1; port <= ports; ++port)
    cables += fmt::format(
        "      - [\"n[001-{0:03}]/{1}\", \"leaf/[{2}-{3}]\"]\n",
        nodes,
        port,
        (port - 1) * nodes + 1,
        port * nodes);
  return spec_of(fmt::format(
      "apiVersion: fabric/v1\nname: star\nnodes:\n"
      "  n[001-{:03}]: {{adapters: {{cx6: {{model: connectx-6-vpi}}}}}}\n"
      "  leaf: {{platform: unmanaged}}\n"
      "networks:\n  storage:\n    mode: ethernet\n    ipv4: {{subnet: 10.30.0.0/16, per: port}}\n"
      "    cables:\n{}",
      nodes,
      cables));
}

// Nobody twice in a round, and nothing left out.
std::size_t rounds_of(const std::vector<Flow>& flows) {
  const std::vector<std::vector<std::size_t>> rounds = flow_rounds(flows);
  std::size_t all = 0;
  for (const std::vector<std::size_t>& round : rounds) {
    std::set<NodeName> nodes;
    std::set<std::size_t> cables;
    all += round.size();
    for (const std::size_t i : round) {
      bool fresh = nodes.insert(flows[i].client.port.node).second &&
                   nodes.insert(flows[i].server.port.node).second;
      for (const NodeName& node : flows[i].transit)
        fresh = nodes.insert(node).second && fresh;
      for (const std::size_t cable : flows[i].cables)
        fresh = cables.insert(cable).second && fresh;
      if (!fresh) FAIL("a node or a cable is used twice in a round");
    }
  }
  CHECK(all == flows.size());
  return rounds.size();
}

std::vector<Diagnostic> judged(const FabricSpec& spec, const std::vector<FlowReport>& reports) {
  return found_by([&](Findings& findings) { add_flow_findings(spec, reports, true, findings); });
}

}  // namespace

TEST_CASE("all pairs behind a switch take the fewest rounds that there can be", "[verify]") {
  for (const std::size_t nodes : std::vector<std::size_t>{4, 5, 6, 7, 8, 15, 33, 64, 127, 200}) {
    INFO(nodes << " nodes");
    const std::vector<Flow> flows = flows_between(at_a_switch(nodes));
    CHECK(flows.size() == nodes * (nodes - 1) / 2);
    CHECK(rounds_of(flows) == (nodes % 2 == 0 ? nodes - 1 : nodes));
  }
}

TEST_CASE("every pair meets once, and ports take turns", "[verify]") {
  const std::vector<Flow> flows = flows_between(at_a_switch(6, 2));
  std::set<std::pair<NodeName, NodeName>> met;
  std::set<PortRef> ports;
  for (const Flow& flow : flows) {
    CHECK(met.insert(std::minmax(flow.client.port.node, flow.server.port.node)).second);
    CHECK(flow.client.port.port == flow.server.port.port);
    ports.insert({flow.client.port, flow.server.port});
  }
  CHECK(met.size() == 15);
  CHECK(ports.size() == 12);
}

TEST_CASE(
    "in a chain all pairs go by the shortest way, and share no cable in a round", "[verify]") {
  const std::vector<Flow> flows = flows_between(ring(6));
  CHECK(flows.size() == 15);
  CHECK(rounds_of(flows) >= 5);
  for (const Flow& flow : flows)
    CHECK(flow.cables.size() <= 3);
}

TEST_CASE("nodes that nothing joins never meet", "[verify]") {
  const FabricSpec spec = spec_of(
      "apiVersion: fabric/v1\nname: line\nnodes:\n"
      "  n[1-3]: {adapters: {cx6: {model: connectx-6-vpi}}}\n"
      "networks:\n"
      "  storage:\n    mode: ethernet\n    ipv4: {subnet: 10.30.0.0/24, per: cable}\n"
      "    cables:\n      - [n1/1, n2/1]\n      - [n2/2, n3/1]\n");
  CHECK(flows_between(spec).size() == 2);
}

TEST_CASE("a node at a switch still meets the one that only a cable leads to", "[verify]") {
  const FabricSpec spec = spec_of(
      "apiVersion: fabric/v1\nname: mixed\nnodes:\n"
      "  n[1-3]: {adapters: {cx6: {model: connectx-6-vpi}}}\n  leaf: {platform: unmanaged}\n"
      "networks:\n"
      "  storage:\n    mode: ethernet\n    ipv4: {subnet: 10.30.0.0/24, per: port}\n"
      "    cables:\n      - [\"n[1-2]/1\", \"leaf/[1-2]\"]\n      - [n2/2, n3/1]\n");
  const std::vector<Flow> flows = flows_between(spec);
  REQUIRE(flows.size() == 2);
  for (const Flow& flow : flows)
    CHECK((flow.client.port.node.str() == "n2" || flow.server.port.node.str() == "n2"));
}

TEST_CASE("a slow node is named once, and a slow pair by its flow", "[verify]") {
  const FabricSpec spec = at_a_switch(8);
  Random random{7};
  std::vector<FlowReport> reports;
  for (const Flow& flow : flows_between(spec))
    reports.push_back(
        {flow, FlowState::measured, 95.0 + static_cast<double>(random.below(20)) / 10.0, {}});
  CHECK(judged(spec, reports).empty());

  SECTION("a pair") {
    reports[9].gbps = 71;
    const std::vector<Diagnostic> findings = judged(spec, reports);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].rule == "bandwidth-odd");
    CHECK(findings[0].message.find(reports[9].flow.client.port.str()) != std::string::npos);
  }
  SECTION("a node, whose flows are below a known limit as well") {
    for (FlowReport& report : reports) {
      report.flow.limit_gbps = 100;
      report.flow.limited_by = "the link";
      for (const auto* end : {&report.flow.client, &report.flow.server})
        if (end->port.node.str() == "n003") report.gbps = 40;
    }
    const std::vector<Diagnostic> findings = judged(spec, reports);
    REQUIRE(findings.size() == 8);
    CHECK(findings[0].rule == "bandwidth-odd");
    CHECK(findings[0].message.starts_with("n003 carries 40.0 Gb/s at most in 7 of its 7 flows"));
    CHECK(findings[1].rule == "bandwidth-low");
  }
  SECTION("nobody, where half of the flows are slow") {
    for (std::size_t i = 0; i < reports.size(); i += 2)
      reports[i].gbps = 40;
    CHECK(judged(spec, reports).empty());
  }
}

}  // namespace fabric::verify::test
