// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/what_if/what_if.hpp"

#include "engine/model/document/load.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/leaf_pair.hpp"
#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {
namespace {

FabricSpec read_document(const std::string& body) {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", "apiVersion: fabric/v1\nname: it\n" + body);
  LoadedDocument loaded = load_document(sources, {file});
  for (const Diagnostic& item : loaded.diagnostics.items())
    UNSCOPED_INFO(item.message);
  REQUIRE_FALSE(loaded.diagnostics.has_errors());
  return std::move(loaded.spec);
}

Losses lost_by(
    const FabricSpec& spec,
    const std::set<NodeName>& down,
    const std::vector<std::pair<const char*, const char*>>& cut = {}) {
  Outage outage{down, {}};
  for (const auto& [a, b] : cut)
    outage.cut.emplace_back(*cable_end(spec, a), *cable_end(spec, b));
  return *losses(spec, outage);
}

TEST_CASE("a ring of chaining cards stands one loss and no second one", "[verify]") {
  const FabricSpec spec = ring(4);
  const Losses none = lost_by(spec, {});
  CHECK(none.pairs == 6);
  CHECK(none.lost.empty());
  // The way round is left.
  CHECK(lost_by(spec, {node(4)}).lost.empty());
  CHECK(lost_by(spec, {}, {{"pve1/1", "pve2/2"}}).lost.empty());
  const Losses both = lost_by(spec, {node(4)}, {{"pve1/cx5/1", "pve2/cx5/2"}});
  CHECK(both.pairs == 3);
  CHECK(
      both.lost ==
      std::vector<LostPair>{{"storage", node(1), node(2)}, {"storage", node(1), node(3)}});
  CHECK(
      lost_by(spec, {node(2), node(4)}).lost ==
      std::vector<LostPair>{{"storage", node(1), node(3)}});
}

TEST_CASE("a switch takes its hosts along, and bonds tell what is left of them", "[verify]") {
  const FabricSpec spec = read_document(
      "nodes:\n"
      "  n[1-2]: {adapters: {cx5: {model: connectx-5-en}}}\n"
      "  n3: {adapters: {cx5: {model: connectx-5-en}}}\n"
      "  leaf[1-2]: {platform: unmanaged}\n"
      "networks:\n"
      "  bonded:\n    mode: lag\n    mtu: 9000\n    ipv4: {subnet: 10.30.0.0/24}\n"
      "    lag: {policy: active-backup}\n"
      "    cables: [[\"n[1-2]/1\", \"leaf1/[1-2]\"], [\"n[1-2]/2\", \"leaf2/[1-2]\"],\n"
      "             [n3/1, leaf1/3], [n3/2, leaf2/3]]\n");
  const Losses one = lost_by(spec, {named("leaf1")});
  CHECK(one.pairs == 3);
  CHECK(one.lost.empty());
  CHECK(
      one.bonds == std::vector<WeakBond>{
                       {"bonded", named("n1"), 1, 2},
                       {"bonded", named("n2"), 1, 2},
                       {"bonded", named("n3"), 1, 2}});
  const Losses more = lost_by(spec, {named("leaf1")}, {{"n1/2", "leaf2/1"}});
  CHECK(more.lost.size() == 2);
  CHECK(more.bonds.front() == WeakBond{"bonded", named("n1"), 0, 2});
}

TEST_CASE("a subnet whose last manager is down is told, and one that had none is not", "[verify]") {
  const FabricSpec spec = read_document(
      "nodes:\n"
      "  c[1-3]: {packages: [opensm], adapters: {hca: {model: connectx-6, ports: 1}}}\n"
      "  leaf: {platform: unmanaged}\n"
      "networks:\n"
      "  compute:\n    mode: infiniband\n"
      "    cables: [[\"c[1-3]/1\", \"leaf/[1-3]\"]]\n"
      "    subnet_managers: [{node: c1, priority: 10}, {node: c2, priority: 5}]\n");
  CHECK(lost_by(spec, {named("c1")}).unmanaged.empty());
  CHECK(
      lost_by(spec, {named("c1"), named("c2")}).unmanaged ==
      std::vector<UnmanagedSubnet>{{"compute", {named("c3")}}});
  FabricSpec without = spec;
  without.networks.at("compute").subnet_managers.clear();
  CHECK(lost_by(without, {named("c1"), named("c2")}).unmanaged.empty());
}

TEST_CASE("a cable that is not declared can't be cut", "[verify]") {
  const FabricSpec spec = ring(4);
  CHECK(cable_end(spec, "pve9/1").error().message == "no declared cable ends at pve9/1");
  const Outage outage{{}, {{*cable_end(spec, "pve1/1"), *cable_end(spec, "pve3/1")}}};
  CHECK(
      losses(spec, outage).error().message == "no declared cable joins pve1/cx5/1 and pve3/cx5/1");
}

}  // namespace
}  // namespace fabric::verify::test
