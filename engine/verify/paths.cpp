// Which pings to make.
#include <algorithm>
#include <set>

#include "engine/verify/evidence.hpp"
#include "engine/verify/topology.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::verify {

namespace {

// Every ordered pair of 16 ports is 240 pings, 14 or so a node; beyond that it grows too fast.
constexpr std::size_t kPortsForAllPairs = 16;
constexpr std::uint32_t kDefaultMtu = 1500;

const IpAddress* address_of(const NetworkSpec& network, const PortRef& port) {
  for (const IpSpec* family : {&network.ipv4, &network.ipv6}) {
    const auto found = family->addresses.find(port);
    if (found != family->addresses.end() && !found->second.empty()) {
      return &found->second.front().value;
    }
  }
  return nullptr;
}

std::vector<PortRef> targets(
    const PortRef& from, const std::vector<PortRef>& members, const Topology& topology) {
  if (members.size() <= kPortsForAllPairs) return members;
  const std::vector<PortRef> met = topology.walk(from);
  std::set<PortRef> chosen;
  // The neighbour proves the cable, the one behind it the neighbour's forwarding, the farthest the
  // whole way round.
  if (!met.empty())
    chosen.insert({met.front(), met[std::min<std::size_t>(1, met.size() - 1)], met.back()});
  return {chosen.begin(), chosen.end()};
}

// A chain must carry frames between all its ports. Elsewhere only ports that a cable joins,
// directly or over a switch, are promised to reach each other; direct cables are what can be known
// here.
bool can_reach(
    const NetworkSpec& network, const Topology& topology, const PortRef& from, const PortRef& to) {
  return network.mode.value == Mode::chain || topology.route(from, to).complete;
}

void add_paths(
    const NetworkSpec& network,
    const Topology& topology,
    const Evidence& evidence,
    std::vector<Path>& paths) {
  const std::vector<PortRef> members = network.member_ports();
  const std::uint32_t mtu = network.mtu.value == 0 ? kDefaultMtu : network.mtu.value;
  for (const PortRef& from : members) {
    const PortEvidence source = evidence.port(from);
    if (!source.device) continue;
    for (const PortRef& to : targets(from, members, topology)) {
      const IpAddress* address = address_of(network, to);
      if (to.node == from.node || address == nullptr || !evidence.node(to.node).reached) continue;
      if (!can_reach(network, topology, from, to)) continue;
      paths.push_back({from, to, network.name, source.device->name, address->str(), mtu});
    }
  }
}

}  // namespace

std::vector<Path> paths_to_test(const FabricSpec& spec, const discovery::Snapshot& snapshot) {
  const Topology topology{spec};
  const Evidence evidence{spec, snapshot};
  std::vector<Path> paths;
  for (const auto& [name, network] : spec.networks) {
    const Mode mode = network.mode.value;
    if (mode == Mode::chain || mode == Mode::ethernet)
      add_paths(network, topology, evidence, paths);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace fabric::verify
