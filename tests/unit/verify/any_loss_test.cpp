// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/what_if/any_loss.hpp"

#include "engine/model/document/load.hpp"
#include "engine/verify/what_if/what_if.hpp"

#include "tests/support/catch.hpp"

namespace fabric::verify::test {
namespace {

FabricSpec read(const std::string& body) {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", "apiVersion: fabric/v1\nname: it\n" + body);
  LoadedDocument loaded = load_document(sources, {file});
  for (const Diagnostic& item : loaded.diagnostics.items())
    UNSCOPED_INFO(item.message);
  REQUIRE_FALSE(loaded.diagnostics.has_errors());
  return std::move(loaded.spec);
}

// Rings, a tree with managers, bonds at a pair, rails.
const std::vector<std::string>& documents() {
  static const std::vector<std::string> all{
      "nodes: {\"n[1-5]\": {adapters: {cx: {model: connectx-5-en}}}}\n"
      "networks:\n"
      "  ring:\n    mode: chain\n    mtu: 9000\n"
      "    ipv4: {subnet: 10.30.0.0/24}\n"
      "    cables: [{ring: [n1, n2, n3, n4, n5]}]\n",
      "nodes: {\"n[1-6]\": {adapters: {cx: {model: connectx-7}}}}\n"
      "networks:\n"
      "  ring:\n    mode: ethernet\n    transit: static\n    mtu: 9000\n"
      "    ipv4: {subnet: 10.30.0.0/24, per: cable}\n    loopback: {subnet: 10.40.0.0/24}\n"
      "    cables: [[n1/1, n2/2], [n2/1, n3/2], [n3/1, n4/2], [n4/1, n5/2], [n5/1, n6/2]]\n",
      "nodes:\n"
      "  n[1-6]: {packages: [opensm], adapters: {hca: {model: connectx-6, ports: 1}}}\n"
      "  leaf[1-3]: {platform: unmanaged}\n  spine[1-2]: {platform: unmanaged}\n"
      "networks:\n"
      "  compute:\n    mode: infiniband\n"
      "    cables: [[\"n[1-2]/1\", \"leaf1/[1-2]\"], [\"n[3-4]/1\", \"leaf2/[1-2]\"],\n"
      "             [\"n[5-6]/1\", \"leaf3/[1-2]\"], [\"leaf[1-3]/11\", \"spine1/[1-3]\"],\n"
      "             [\"leaf[2-3]/12\", \"spine2/[1-2]\"]]\n"
      "    subnet_managers: [{node: n1, priority: 10}, {node: n5, priority: 5}]\n",
      "nodes:\n"
      "  n[1-4]: {adapters: {cx: {model: connectx-5-en}, rail: {model: connectx-6, ports: 1}}}\n"
      "  leaf[1-3]: {platform: unmanaged}\n"
      "networks:\n"
      "  bonded:\n    mode: lag\n    mtu: 9000\n    ipv4: {subnet: 10.30.0.0/24}\n"
      "    lag: {policy: active-backup}\n"
      "    cables: [[\"n[1-4]/cx/1\", \"leaf1/[1-4]\"], [\"n[1-4]/cx/2\", \"leaf2/[1-4]\"],\n"
      "             [leaf1/9, leaf2/9]]\n"
      "  rail:\n    mode: ethernet\n    ipv4: {subnet: 10.31.0.0/24}\n"
      "    cables: [[\"n[1-4]/rail/1\", \"leaf3/[1-4]\"]]\n"};
  return all;
}

using Bond = std::tuple<std::string, NodeName, std::size_t, std::size_t>;
struct Cost {
  std::set<std::tuple<std::string, NodeName, NodeName>> pairs;
  std::set<Bond> bonds;
  std::set<std::pair<std::string, NodeName>> unmanaged;
  bool is_nothing() const { return pairs.empty() && bonds.empty() && unmanaged.empty(); }
};

// By the answers to single questions (--down, --cut), which look at the whole document each time.
Cost asked(const FabricSpec& spec, const std::vector<const Thing*>& things) {
  Outage outage;
  for (const Thing* thing : things) {
    if (thing->kind == Kind::cable) {
      const std::size_t middle = thing->name.find(" - ");
      outage.cut.emplace_back(
          *cable_end(spec, thing->name.substr(0, middle)),
          *cable_end(spec, thing->name.substr(middle + 3)));
    } else {
      outage.down.insert(thing->ends.begin(), thing->ends.end());
    }
  }
  Cost cost;
  const Losses lost = *losses(spec, outage);
  for (const LostPair& pair : lost.lost)
    cost.pairs.emplace(pair.network, pair.a, pair.b);
  for (const WeakBond& bond : lost.bonds)
    cost.bonds.emplace(bond.network, bond.node, bond.left, bond.all);
  for (const UnmanagedSubnet& subnet : lost.unmanaged) {
    for (const NodeName& host : subnet.hosts)
      cost.unmanaged.emplace(subnet.network, host);
  }
  return cost;
}

const Costly* find(const AnyLoss& all, const std::vector<const Thing*>& things) {
  for (const Costly& costly : all.costly) {
    const bool is_it = std::equal(
        costly.things.begin(),
        costly.things.end(),
        things.begin(),
        things.end(),
        [](const Thing& one, const Thing* other) { return one == *other; });
    if (is_it) return &costly;
  }
  return nullptr;
}

std::vector<Thing> cables_and_nodes(const FabricSpec& spec) {
  std::vector<Thing> things;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables)
      things.push_back(
          {Kind::cable,
           cable.a.value.str() + " - " + cable.b.value.str(),
           {cable.a.value.node, cable.b.value.node}});
  }
  for (const bool switches : {false, true}) {
    for (const auto& [name, node] : spec.nodes) {
      if (is_switch(node.platform.value) == switches)
        things.push_back({switches ? Kind::switch_node : Kind::host, name.str(), {name}});
    }
  }
  return things;
}

TEST_CASE("each loss of one costs what asking for it alone says", "[verify]") {
  for (const std::string& document : documents()) {
    CAPTURE(document);
    const FabricSpec spec = read(document);
    const AnyLoss all = any_one(spec);
    for (const Thing& thing : cables_and_nodes(spec)) {
      CAPTURE(thing.name);
      const Cost cost = asked(spec, {&thing});
      const Costly* costly = find(all, {&thing});
      std::size_t pairs = 0;
      std::set<Bond> bonds;
      std::set<std::pair<std::string, NodeName>> unmanaged;
      if (costly != nullptr) {
        for (const LossIn& loss : costly->losses) {
          pairs += loss.loss.pairs;
          for (const WeakBond& bond : loss.loss.bonds)
            bonds.emplace(bond.network, bond.node, bond.left, bond.all);
          for (const NodeName& host : loss.loss.unmanaged)
            unmanaged.emplace(loss.network, host);
          if (loss.loss.example)
            CHECK(cost.pairs.contains(
                {loss.network, loss.loss.example->first, loss.loss.example->second}));
        }
      }
      CHECK(pairs == cost.pairs.size());
      CHECK(bonds == cost.bonds);
      CHECK(unmanaged == cost.unmanaged);
    }
  }
}

TEST_CASE("what two cost together and neither alone is what asking for them says", "[verify]") {
  std::size_t found = 0;
  for (const std::string& document : documents()) {
    CAPTURE(document);
    const FabricSpec spec = read(document);
    const AnyLoss all = *any_two(spec);
    const std::vector<Thing> things = cables_and_nodes(spec);
    for (std::size_t one = 0; one < things.size(); ++one) {
      for (std::size_t other = one + 1; other < things.size(); ++other) {
        CAPTURE(things[one].name, things[other].name);
        Cost cost = asked(spec, {&things[one], &things[other]});
        for (const Thing* alone : {&things[one], &things[other]}) {
          for (const auto& pair : asked(spec, {alone}).pairs)
            cost.pairs.erase(pair);
        }
        std::size_t pairs = 0;
        const Costly* costly = find(all, {&things[one], &things[other]});
        if (costly != nullptr) {
          for (const LossIn& loss : costly->losses)
            pairs += loss.loss.pairs;
        }
        CHECK(pairs == cost.pairs.size());
        found += pairs;
      }
    }
  }
  CHECK(found > 100);
}

TEST_CASE("cards, managers and racks are taken out too", "[verify]") {
  const FabricSpec spec = read(
      "nodes:\n"
      "  n1: {packages: [opensm], labels: {rack: r1}, adapters: {hca: {model: connectx-6, ports: "
      "1}}}\n"
      "  n2: {labels: {rack: r1}, adapters: {hca: {model: connectx-6, ports: 1}}}\n"
      "  n[3-4]: {labels: {rack: r2}, adapters: {hca: {model: connectx-6, ports: 1}}}\n"
      "  leaf1: {platform: unmanaged, labels: {rack: r1}}\n"
      "  leaf2: {platform: unmanaged, labels: {rack: r2}}\n"
      "networks:\n"
      "  ib:\n    mode: infiniband\n"
      "    cables: [[\"n[1-2]/1\", \"leaf1/[1-2]\"], [\"n[3-4]/1\", \"leaf2/[1-2]\"],\n"
      "             [leaf1/9, leaf2/9]]\n"
      "    subnet_managers: [{node: n1}]\n");
  const AnyLoss all = any_one(spec);
  CHECK(all.counts.at(Kind::card) == 4);
  const auto cost_of = [&](const std::string& name) -> const NetworkLoss& {
    for (const Costly& costly : all.costly) {
      if (costly.things.front().name == name) return costly.losses.front().loss;
    }
    FAIL(name);
    return all.costly.front().losses.front().loss;
  };
  CHECK(cost_of("n1 of ib").unmanaged.size() == 4);
  CHECK(cost_of("n1 of ib").pairs == 0);
  // Its hosts go with a rack, and the others keep each other but have no manager.
  CHECK(cost_of("rack r1").pairs == 0);
  CHECK(cost_of("rack r1").unmanaged.size() == 2);
  CHECK(cost_of("n3/hca").pairs == 3);
  CHECK(cost_of("n3/hca").cut_off == 1);
  CHECK(cost_of("leaf1/9 - leaf2/9").pairs == 4);
  CHECK(cost_of("leaf1/9 - leaf2/9").cut_off == 0);
}

}  // namespace
}  // namespace fabric::verify::test
