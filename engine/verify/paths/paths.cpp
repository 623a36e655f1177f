// Which pings to make.
#include <algorithm>
#include <optional>
#include <set>

#include "engine/verify/evidence/evidence.hpp"
#include "engine/verify/paths/endpoints.hpp"
#include "engine/verify/paths/link_components.hpp"
#include "engine/verify/paths/topology.hpp"
#include "engine/verify/subnet/partition_keys.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::verify {

namespace {

// Every ordered pair of 16 ports is 240 pings, 14 or so a node; beyond that it grows too fast.
constexpr std::size_t kPortsForAllPairs = 16;
constexpr std::size_t kSomeOfMany = 3;
constexpr std::uint32_t kDefaultMtu = 1500;

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

void add_chain(
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
      const IpAddress* address = address_of({&network.ipv4, &network.ipv6}, {to});
      if (to.node == from.node || address == nullptr || !evidence.node(to.node).reached) continue;
      paths.push_back({from, to, network.name, source.device->name, address->str(), mtu});
    }
  }
}

// IPoIB of a port is in the default partition. Two limited members of one don't hear each other;
// where the document leaves it out, everybody is a full member.
bool share_partition(const NetworkSpec& network, const PortRef& one, const PortRef& other) {
  for (const PartitionSpec& partition : network.partitions) {
    if ((partition.pkey.value & kPkeyIdentity) != kPkeyIdentity) continue;
    const std::optional<bool> here = membership(network, partition, one);
    const std::optional<bool> there = membership(network, partition, other);
    return here && there && (*here || *there);
  }
  return true;
}

// Whom `ends[from]` has to reach, the next first: all, or some of many, so that each is asked by
// some.
std::vector<const Endpoint*> reached_from(
    const NetworkSpec& network,
    const Joined& joined,
    const std::vector<Endpoint>& ends,
    std::size_t from) {
  std::vector<const Endpoint*> others;
  for (std::size_t step = 1; step < ends.size() && others.size() < kPortsForAllPairs; ++step) {
    const Endpoint& to = ends[(from + step) % ends.size()];
    if (to.node() == ends[from].node() || !joined.any(ends[from].ports, to.ports)) continue;
    const bool talk = network.mode.value != Mode::infiniband ||
                      share_partition(network, ends[from].port(), to.port());
    if (talk) others.push_back(&to);
  }
  if (others.size() >= kPortsForAllPairs) others.resize(kSomeOfMany);
  return others;
}

// Only ports that cables join, directly or over switches, are promised to reach each other.
void add_joined(
    const FabricSpec& spec,
    const NetworkSpec& network,
    const Evidence& evidence,
    std::vector<Path>& paths) {
  const Joined joined{network};
  std::vector<std::string> vlans{""};
  for (const VlanSpec& vlan : network.vlans)
    vlans.push_back(vlan.name);
  for (const std::string& vlan : vlans) {
    const std::vector<Endpoint> ends = endpoints(spec, network, evidence, vlan);
    for (std::size_t from = 0; from < ends.size(); ++from) {
      const Endpoint& source = ends[from];
      if (source.device.empty()) continue;
      for (const Endpoint* to : reached_from(network, joined, ends, from)) {
        paths.push_back(
            {source.port(),
             to->port(),
             network.name,
             source.device,
             to->address,
             source.mtu,
             vlan});
      }
    }
  }
}

}  // namespace

std::vector<Path> paths_to_test(const FabricSpec& spec, const discovery::Snapshot& snapshot) {
  const Topology topology{spec};
  const Evidence evidence{spec, snapshot};
  std::vector<Path> paths;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value == Mode::chain) {
      add_chain(network, topology, evidence, paths);
    } else {
      add_joined(spec, network, evidence, paths);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool settles_late(const FabricSpec& spec, const Path& path) {
  const auto network = spec.networks.find(path.network);
  return network != spec.networks.end() && (network->second.mode.value == Mode::lag ||
                                            network->second.mode.value == Mode::infiniband);
}

}  // namespace fabric::verify
