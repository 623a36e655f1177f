// SPDX-License-Identifier: Apache-2.0
// Who loses whom, against a walk over plugs that knows nothing of components.
#include "engine/model/topology/network_cuts.hpp"

#include <algorithm>

#include "engine/base/random.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

using Pairs = std::vector<std::pair<NodeName, NodeName>>;

NodeName named(const std::string& text) {
  return *NodeName::parse(text);
}

// A fabric of one network with plugs drawn by lot.
struct Drawn {
  FabricSpec spec;
  NetworkSpec network;
  std::size_t next_port = 0;

  PortRef port_of(Random& random, const NodeName& node, bool is_host) {
    if (!is_host) return {node, "", std::to_string(++next_port)};
    if (network.mode.value != Mode::chain) return {node, "hca", std::to_string(++next_port)};
    return {node, random.chance(80) ? "a" : "b", random.chance(50) ? "1" : "2"};
  }

  explicit Drawn(Random& random) {
    const std::size_t hosts = 2 + random.below(7);
    const std::size_t kind = random.below(5);
    network.name = "net";
    network.mode.value = kind == 0   ? Mode::infiniband
                         : kind == 1 ? Mode::lag
                         : kind == 2 ? Mode::chain
                                     : Mode::ethernet;
    if (kind == 4) network.transit.value = Transit::by_frr;
    const bool has_switches = kind != 2 && random.chance(80);
    std::vector<NodeName> names;
    for (std::size_t i = 0; i < hosts; ++i) {
      names.push_back(named("n" + std::to_string(i)));
      NodeSpec node{names.back()};
      if (random.chance(8)) node.state.value = NodeState::offline;
      spec.nodes.emplace(names.back(), std::move(node));
    }
    for (std::size_t i = random.below(4); has_switches && i > 0; --i) {
      names.push_back(named("s" + std::to_string(i)));
      NodeSpec node{names.back()};
      node.platform.value = Platform::unmanaged;
      spec.nodes.emplace(names.back(), std::move(node));
    }
    std::set<PortRef> used;
    for (std::size_t i = random.below(3 * names.size()); i > 0; --i) {
      const std::size_t one = random.below(names.size());
      const std::size_t other = random.below(names.size());
      PortRef a = port_of(random, names[one], one < hosts);
      PortRef b = port_of(random, names[other], other < hosts);
      if (one == other || a == b || used.contains(a) || used.contains(b)) continue;
      used.insert({a, b});
      network.cables.push_back({{a, {}}, {b, {}}, {}, "", "", "", ""});
    }
    if (kind != 0) return;
    for (std::size_t i = random.below(3); i > 0; --i)
      network.ports.push_back({port_of(random, names[random.below(hosts)], true), {}});
    for (std::size_t i = random.below(3); i > 0; --i)
      network.subnet_managers.push_back(
          {{}, {names[random.below(names.size())].str(), {}}, {}, {}});
  }
};

// Which hosts a frame of each host gets to, plug by plug.
class Walker {
 public:
  Walker(const Drawn& drawn, const TakenOut& taken) {
    const std::vector<PortRef> ports = drawn.network.member_ports();
    const auto number = [&](const PortRef& port) {
      return static_cast<std::size_t>(std::find(ports.begin(), ports.end(), port) - ports.begin());
    };
    for (const auto& [name, node] : drawn.spec.nodes) {
      if (!is_switch(node.platform.value) && !is_offline(node) && !taken.nodes.contains(name))
        met.emplace(name, std::set<NodeName>{});
    }
    std::vector<std::vector<std::size_t>> ends(ports.size());
    const auto plug = [&](const PortRef& a, const PortRef& b) {
      for (const PortRef& port : {a, b}) {
        if (is_offline(drawn.spec, port.node) || taken.nodes.contains(port.node) ||
            taken.ports.contains(port))
          return;
      }
      ends[number(a)].push_back(number(b));
      ends[number(b)].push_back(number(a));
    };
    const auto& cables = drawn.network.cables;
    for (std::size_t i = 0; i < cables.size(); ++i) {
      if (std::count(taken.cables.begin(), taken.cables.end(), i) == 0)
        plug(cables[i].a.value, cables[i].b.value);
    }
    // What is listed without a cable meets all others of the kind.
    for (const auto& one : drawn.network.ports) {
      for (const auto& other : drawn.network.ports) {
        if (one.value != other.value) plug(one.value, other.value);
      }
    }
    for (auto& [host, others] : met)
      walk(drawn, ports, ends, host, others);
  }

  std::map<NodeName, std::set<NodeName>> met;  // of hosts that are up

 private:
  static bool joins(const Drawn& drawn, const PortRef& in, const PortRef& out) {
    if (in.node != out.node) return false;
    if (in.adapter.empty() || drawn.network.transit.value == Transit::by_frr) return true;
    return drawn.network.mode.value == Mode::chain && in.adapter == out.adapter;
  }

  void walk(
      const Drawn& drawn,
      const std::vector<PortRef>& ports,
      const std::vector<std::vector<std::size_t>>& ends,
      const NodeName& host,
      std::set<NodeName>& others) const {
    std::vector<bool> is_met(ports.size());
    std::vector<std::size_t> leaving;
    for (std::size_t port = 0; port < ports.size(); ++port) {
      if (ports[port].node == host) leaving.push_back(port);
    }
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      for (const std::size_t in : ends[leaving[i]]) {
        if (is_met[in]) continue;
        is_met[in] = true;
        if (ports[in].node != host && met.contains(ports[in].node)) others.insert(ports[in].node);
        for (std::size_t next = 0; next < ports.size(); ++next) {
          if (joins(drawn, ports[in], ports[next])) leaving.push_back(next);
        }
      }
    }
  }
};

Pairs lost_by(const Walker& before, const Walker& after) {
  Pairs lost;
  for (const auto& [one, are] : after.met) {
    for (const NodeName& other : before.met.at(one)) {
      if (one < other && after.met.contains(other) && !are.contains(other))
        lost.emplace_back(one, other);
    }
  }
  return lost;
}

void compare(
    const Drawn& drawn, const NetworkCuts& cuts, const Walker& before, const TakenOut& taken) {
  const NetworkLoss loss = cuts.without(taken, true);
  const Walker after{drawn, taken};
  const Pairs lost = lost_by(before, after);
  CHECK(loss.list == lost);
  CHECK(loss.pairs == lost.size());
  CHECK(loss.example.has_value() == !lost.empty());
  if (loss.example) CHECK(std::count(lost.begin(), lost.end(), *loss.example) == 1);
  // Whoever is not in the largest part is told, and each lost pair has one of those.
  const std::set<NodeName> hosts{loss.hosts.begin(), loss.hosts.end()};
  const bool is_told = std::all_of(lost.begin(), lost.end(), [&](const auto& pair) {
    return hosts.contains(pair.first) || hosts.contains(pair.second);
  });
  CHECK(is_told);
  std::size_t cut_off = 0;
  for (const NodeName& host : hosts)
    cut_off += after.met.at(host).empty() ? 1 : 0;
  CHECK(loss.cut_off == cut_off);
}

TEST_CASE("the loss of anything costs what a walk over the plugs finds", "[model]") {
  std::size_t losses = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const Drawn drawn{random};
    // Where switches and listed ports meet is a guess that both would have to make alike.
    const bool guesses =
        !drawn.network.ports.empty() &&
        std::any_of(
            drawn.network.cables.begin(), drawn.network.cables.end(), [](const CableSpec& cable) {
              return cable.a.value.adapter.empty() || cable.b.value.adapter.empty();
            });
    if (guesses) continue;
    const NetworkCuts cuts{drawn.spec, drawn.network};
    const Walker before{drawn, {}};
    for (std::size_t cable = 0; cable < drawn.network.cables.size(); ++cable) {
      compare(drawn, cuts, before, {{}, {cable}});
      losses += cuts.without({{}, {cable}}).pairs;
    }
    for (const auto& [node, spec] : drawn.spec.nodes)
      compare(drawn, cuts, before, {{node}});
    for (const PortRef& port : drawn.network.member_ports())
      compare(drawn, cuts, before, {{}, {}, {port}});
    for (std::size_t i = 0; i < 5; ++i) {
      TakenOut several;
      for (const auto& [node, spec] : drawn.spec.nodes) {
        if (random.chance(20)) several.nodes.insert(node);
      }
      for (std::size_t cable = 0; cable < drawn.network.cables.size(); ++cable) {
        if (random.chance(20)) several.cables.push_back(cable);
      }
      for (const PortRef& port : drawn.network.member_ports()) {
        if (random.chance(10)) several.ports.insert(port);
      }
      compare(drawn, cuts, before, several);
    }
  }
  CHECK(losses > 500);
}

}  // namespace
}  // namespace fabric
