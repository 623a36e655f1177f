// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/ring_pairs.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include <fmt/format.h>

#include "engine/verify/paths/endpoints.hpp"
#include "engine/verify/paths/topology.hpp"

namespace fabric::report {

namespace {

constexpr std::size_t kMostHosts = 8;

using Hosts = std::map<NodeName, std::vector<PortRef>>;

Hosts hosts_of(const NetworkSpec& network) {
  Hosts hosts;
  if (network.mode.value != Mode::chain) return hosts;
  for (const PortRef& port : network.member_ports())
    hosts[port.node].push_back(port);
  return hosts;
}

// The nearer one first.
std::vector<RingWay> ways(
    const NetworkSpec& network,
    const verify::Topology& topology,
    const std::vector<PortRef>& here,
    const std::vector<PortRef>& there) {
  std::vector<RingWay> ways;
  for (const PortRef& from : here) {
    for (const PortRef& to : there) {
      const verify::Route route = topology.route(from, to);
      const IpAddress* source = verify::address_of({&network.ipv4}, {from});
      const IpAddress* target = verify::address_of({&network.ipv4}, {to});
      const bool straight = route.complete && !route.crosses(from.node) && !route.crosses(to.node);
      if (straight && source != nullptr && target != nullptr)
        ways.push_back({*source, *target, route.cables.size()});
    }
  }
  std::ranges::stable_sort(
      ways, [](const RingWay& one, const RingWay& other) { return one.cables < other.cables; });
  return ways;
}

std::string text_of(const RingWay& way) {
  return fmt::format("{} - {}", way.from.str(), way.to.str());
}

}  // namespace

std::vector<RingPair> ring_pairs(const FabricSpec& spec, const NetworkSpec& network) {
  std::vector<RingPair> pairs;
  const Hosts hosts = hosts_of(network);
  if (hosts.empty()) return pairs;
  const verify::Topology topology{spec};
  for (auto one = hosts.begin(); one != hosts.end(); ++one) {
    for (auto other = std::next(one); other != hosts.end(); ++other) {
      const std::vector<RingWay> found = ways(network, topology, one->second, other->second);
      if (found.size() == 2) pairs.push_back({one->first, other->first, found[0], found[1]});
    }
  }
  return pairs;
}

std::vector<Provenance> explained_pairs(const FabricSpec& spec, const NetworkSpec& network) {
  std::vector<Provenance> explained;
  if (hosts_of(network).size() > kMostHosts) return explained;
  for (const RingPair& each : ring_pairs(spec, network)) {
    Provenance& pair = explained.emplace_back();
    pair.path =
        fmt::format("networks.{}.pairs.{}.{}", network.name, each.one.str(), each.other.str());
    pair.value = fmt::format("{}, else {}", text_of(each.nearer), text_of(each.farther));
    pair.range = network.mode.range;
    pair.origin = fmt::format(
        "{} cable{}; {} the other way round",
        each.nearer.cables,
        each.nearer.cables == 1 ? "" : "s",
        each.farther.cables);
  }
  return explained;
}

}  // namespace fabric::report
