// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/paths/paths.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/verify/paths/endpoints.hpp"
#include "engine/verify/paths/link_components.hpp"
#include "engine/verify/paths/topology.hpp"
#include "engine/verify/subnet/partition_keys.hpp"

namespace fabric::verify {

namespace {

constexpr std::size_t kSomeOfMany = 3;

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

// `visit(from, to, address)` for each ordered pair of a chain's ports that is to be tested.
// With a node offline a ring is a chain: its dark ports are left out, and what is behind them.
template <class Visit>
void for_each_chain_pair(
    const FabricSpec& spec, const NetworkSpec& network, const Topology& topology, Visit visit) {
  std::vector<PortRef> members = network.member_ports();
  std::set<PortRef> dark;
  for (const CableSpec& cable : network.cables) {
    if (discovery::leads_to_offline(spec, cable)) dark.insert({cable.a.value, cable.b.value});
  }
  std::erase_if(members, [&](const PortRef& port) { return dark.contains(port); });
  for (const PortRef& from : members) {
    for (const PortRef& to : targets(from, members, topology)) {
      const bool is_dark = !dark.empty() && !topology.route(from, to).complete;
      if (to.node == from.node || dark.contains(to) || is_dark) continue;
      for (const IpSpec* family : {&network.ipv4, &network.ipv6}) {
        const IpAddress* address = address_of({family}, {to});
        if (address != nullptr && address_of({family}, {from}) != nullptr)
          visit(from, to, *address);
      }
    }
  }
}

void add_chain(
    const FabricSpec& spec,
    const NetworkSpec& network,
    const Topology& topology,
    const discovery::Evidence& evidence,
    std::vector<Path>& paths) {
  const std::uint32_t mtu = network.mtu.value == 0 ? kDefaultMtu : network.mtu.value;
  for_each_chain_pair(
      spec,
      network,
      topology,
      [&](const PortRef& from, const PortRef& to, const IpAddress& address) {
        const discovery::PortEvidence source = evidence.port(from);
        if (!source.device || !evidence.node(to.node).reached) return;
        // As a program is bound: its table says by which port that leaves.
        const IpAddress* own = address_of({&network.ipv4}, {from});
        const bool by_source = own != nullptr && own->family() == address.family();
        const std::string bound = by_source ? own->str() : source.device->name;
        paths.push_back({from, to, network.name, bound, address.str(), mtu});
      });
}

// The IPoIB interface of a port is in the default partition. Two limited members of a partition
// don't hear each other; where the document does not name the default partition, every port is a
// full member, and where it does not name the port there, the port is a limited one.
bool share_partition(const NetworkSpec& network, const PortRef& one, const PortRef& other) {
  for (const PartitionSpec& partition : network.partitions) {
    if ((partition.pkey.value & kPkeyIdentity) != kPkeyIdentity) continue;
    const std::optional<bool> here = membership(network, partition, one);
    const std::optional<bool> there = membership(network, partition, other);
    return here.value_or(false) || there.value_or(false);
  }
  return true;
}

// The ends that `ends[from]` has to reach, the next first: all, or some of many, chosen so that
// each end is asked by some others.
std::vector<const Endpoint*> reached_from(
    const NetworkSpec& network,
    const LinkComponents& components,
    const std::vector<Endpoint>& ends,
    std::size_t from) {
  std::vector<const Endpoint*> others;
  for (std::size_t step = 1; step < ends.size() && others.size() < kPortsForAllPairs; ++step) {
    const Endpoint& to = ends[(from + step) % ends.size()];
    if (to.node() == ends[from].node() || to.is_ipv6() != ends[from].is_ipv6() ||
        !components.connect(ends[from].ports, to.ports))
      continue;
    const bool talk = network.mode.value != Mode::infiniband ||
                      share_partition(network, ends[from].port(), to.port());
    if (talk) others.push_back(&to);
  }
  if (others.size() >= kPortsForAllPairs) others.resize(kSomeOfMany);
  return others;
}

// `visit(from, to, vlan)` for each ordered pair of ends of a network that is no chain. Only ports
// that cables connect, directly or over switches, are promised to reach each other.
template <class Visit>
void for_each_pair(
    const FabricSpec& spec,
    const NetworkSpec& network,
    const discovery::Evidence& evidence,
    Hosts hosts,
    Visit visit) {
  std::set<std::size_t> dark;
  for (std::size_t i = 0; i < network.cables.size(); ++i) {
    if (discovery::leads_to_offline(spec, network.cables[i])) dark.insert(i);
  }
  const LinkComponents components{network, dark};
  std::vector<std::string> vlans{""};
  for (const VlanSpec& vlan : network.vlans)
    vlans.push_back(vlan.name);
  for (const std::string& vlan : vlans) {
    const std::vector<Endpoint> ends = endpoints(spec, network, evidence, vlan, hosts);
    for (std::size_t from = 0; from < ends.size(); ++from) {
      for (const Endpoint* to : reached_from(network, components, ends, from))
        visit(ends[from], *to, vlan);
    }
  }
}

// `visit(from, to)` for each ordered pair of hosts, each by its first port in the network, whose
// loopbacks have to reach each other: all of them, or the next three hosts if there are more than
// 15 others.
template <class Visit>
void for_each_loopback_pair(const FabricSpec& spec, const NetworkSpec& network, Visit visit) {
  if (!has_transit(network)) return;
  std::set<std::size_t> dark;
  for (std::size_t i = 0; i < network.cables.size(); ++i) {
    if (discovery::leads_to_offline(spec, network.cables[i])) dark.insert(i);
  }
  const LinkComponents components{network, dark, Through::hosts};
  std::vector<PortRef> ends;
  for (const auto& [node, ports] : host_ports_by_node(spec, network)) {
    if (network.loopback->addresses.contains(node) && !is_offline(spec, node))
      ends.push_back(ports.front());
  }
  const std::size_t most = ends.size() > kPortsForAllPairs ? kSomeOfMany : ends.size();
  for (std::size_t from = 0; from < ends.size(); ++from) {
    for (std::size_t step = 1; step < ends.size() && step <= most; ++step) {
      const PortRef& to = ends[(from + step) % ends.size()];
      if (components.connect({ends[from]}, {to})) visit(ends[from], to);
    }
  }
}

// Adds paths between loopbacks: each leaves by whichever port its route says.
void add_loopbacks(
    const FabricSpec& spec,
    const NetworkSpec& network,
    const discovery::Evidence& evidence,
    std::vector<Path>& paths) {
  const std::uint32_t mtu = network.mtu.value == 0 ? kDefaultMtu : network.mtu.value;
  for_each_loopback_pair(spec, network, [&](const PortRef& from, const PortRef& to) {
    if (!evidence.node(from.node).reached || !evidence.node(to.node).reached) return;
    const auto& addresses = network.loopback->addresses;
    paths.push_back(
        {from,
         to,
         network.name,
         addresses.at(from.node).value.str(),
         addresses.at(to.node).value.str(),
         mtu});
  });
}

void add_others(
    const FabricSpec& spec,
    const NetworkSpec& network,
    const discovery::Evidence& evidence,
    std::vector<Path>& paths) {
  for_each_pair(
      spec,
      network,
      evidence,
      Hosts::reached,
      [&](const Endpoint& from, const Endpoint& to, const std::string& vlan) {
        if (from.device.empty()) return;
        paths.push_back(
            {from.port(), to.port(), network.name, from.device, to.address, from.mtu, vlan});
      });
}

}  // namespace

std::vector<Path> paths_to_test(const FabricSpec& spec, const discovery::Snapshot& snapshot) {
  const Topology topology{spec};
  const discovery::Evidence evidence{spec, snapshot};
  std::vector<Path> paths;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value == Mode::chain) {
      add_chain(spec, network, topology, evidence, paths);
    } else {
      add_others(spec, network, evidence, paths);
      add_loopbacks(spec, network, evidence, paths);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::map<NodeName, std::size_t> untried_paths(
    const FabricSpec& spec, const discovery::Evidence& evidence) {
  const Topology topology{spec};
  std::map<NodeName, std::size_t> untried;
  const auto count = [&](const PortRef& from, const PortRef& to) {
    if (!is_host(spec, from) || !is_host(spec, to)) return;
    if (!evidence.node(from.node).reached) {
      ++untried[from.node];
    } else if (!evidence.node(to.node).reached) {
      ++untried[to.node];
    }
  };
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value == Mode::chain) {
      for_each_chain_pair(
          spec, network, topology, [&](const PortRef& from, const PortRef& to, const IpAddress&) {
            count(from, to);
          });
    } else {
      for_each_pair(
          spec,
          network,
          evidence,
          Hosts::all,
          [&](const Endpoint& from, const Endpoint& to, const std::string&) {
            count(from.port(), to.port());
          });
      for_each_loopback_pair(spec, network, count);
    }
  }
  return untried;
}

bool is_loopback(const NetworkSpec& network, const Path& path) {
  if (!has_transit(network)) return false;
  const auto found = network.loopback->addresses.find(path.to.node);
  return found != network.loopback->addresses.end() && found->second.value.str() == path.to_address;
}

bool settles_late(const FabricSpec& spec, const Path& path) {
  const auto network = spec.networks.find(path.network);
  return network != spec.networks.end() &&
         (network->second.mode.value == Mode::lag ||
          network->second.mode.value == Mode::infiniband || is_loopback(network->second, path));
}

}  // namespace fabric::verify
