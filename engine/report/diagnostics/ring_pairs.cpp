// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/ring_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>

#include <fmt/format.h>

#include "engine/verify/paths/endpoints.hpp"
#include "engine/verify/paths/topology.hpp"

namespace fabric::report {

namespace {

constexpr std::size_t kMostHosts = 8;

struct Arc {
  std::string pair;  // "10.30.0.1 - 10.30.0.4"
  std::size_t cables = 0;
};

// Each way round, the shorter one first: out of a port of the one straight into a port of the
// other.
std::vector<Arc> arcs(
    const NetworkSpec& network,
    const verify::Topology& topology,
    const std::vector<PortRef>& here,
    const std::vector<PortRef>& there) {
  std::vector<Arc> arcs;
  for (const PortRef& from : here) {
    for (const PortRef& to : there) {
      const verify::Route route = topology.route(from, to);
      const IpAddress* source = verify::address_of({&network.ipv4}, {from});
      const IpAddress* target = verify::address_of({&network.ipv4}, {to});
      const bool straight = route.complete && !route.crosses(from.node) && !route.crosses(to.node);
      if (straight && source != nullptr && target != nullptr)
        arcs.push_back({fmt::format("{} - {}", source->str(), target->str()), route.cables.size()});
    }
  }
  std::stable_sort(arcs.begin(), arcs.end(), [](const Arc& one, const Arc& other) {
    return one.cables < other.cables;
  });
  return arcs;
}

}  // namespace

std::vector<Provenance> ring_pairs(const FabricSpec& spec, const NetworkSpec& network) {
  std::map<NodeName, std::vector<PortRef>> hosts;
  for (const PortRef& port : network.member_ports())
    hosts[port.node].push_back(port);
  std::vector<Provenance> pairs;
  if (network.mode.value != Mode::chain || hosts.size() > kMostHosts) return pairs;
  const verify::Topology topology{spec};
  for (auto one = hosts.begin(); one != hosts.end(); ++one) {
    for (auto other = std::next(one); other != hosts.end(); ++other) {
      const std::vector<Arc> found = arcs(network, topology, one->second, other->second);
      if (found.size() != 2) continue;
      Provenance& pair = pairs.emplace_back();
      pair.path = fmt::format(
          "networks.{}.pairs.{}.{}", network.name, one->first.str(), other->first.str());
      pair.value = fmt::format("{}, else {}", found[0].pair, found[1].pair);
      pair.range = network.mode.range;
      pair.origin = fmt::format(
          "{} cable{}; {} the other way round",
          found[0].cables,
          found[0].cables == 1 ? "" : "s",
          found[1].cables);
    }
  }
  return pairs;
}

}  // namespace fabric::report
