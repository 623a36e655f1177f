// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/service.hpp"

#include <algorithm>

#include "engine/model/topology/chain_graph.hpp"
#include "engine/model/topology/infiniband_subnets.hpp"

namespace fabric::rehearse {

namespace {

using Groups = std::vector<std::vector<NodeName>>;

// The nodes that are not `down`, in groups connected by cables and nodes that are up.
Groups joined(
    const std::set<NodeName>& nodes,
    const std::set<std::pair<NodeName, NodeName>>& cables,
    const std::set<NodeName>& down) {
  Groups groups;
  std::set<NodeName> seen;
  for (const NodeName& first : nodes) {
    if (down.contains(first) || !seen.insert(first).second) continue;
    std::vector<NodeName> group{first};
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (const auto& [a, b] : cables) {
        if (a != group[i] && b != group[i]) continue;
        const NodeName& other = a == group[i] ? b : a;
        if (!down.contains(other) && seen.insert(other).second) group.push_back(other);
      }
    }
    std::sort(group.begin(), group.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

void keep_longest(std::optional<Outage>& longest, Outage outage, TimePoint now, bool over) {
  outage.lasted = std::chrono::duration_cast<Duration>(now - outage.from);
  outage.over = over;
  if (!longest || outage.lasted > longest->lasted) longest = std::move(outage);
}

// The ports of a subnet that its managers are to run on.
std::vector<PortRef> manager_ports(const NetworkSpec& network, const InfinibandSubnet& subnet) {
  std::vector<PortRef> ports;
  for (const PortRef& port : subnet.host_ports) {
    if (places_manager(network, port)) ports.push_back(port);
  }
  return ports;
}

}  // namespace

ServiceWatch::ServiceWatch(const FabricSpec& spec, const lab::Lab& lab, std::set<NodeName> lost)
    : lab_{lab}, lost_{std::move(lost)}, nodes_{lab.nodes()} {
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value == Mode::chain) add_rings(name, network);
    if (network.mode.value == Mode::infiniband) add_subnets(name, network);
  }
}

void ServiceWatch::add_rings(const std::string& name, const NetworkSpec& network) {
  const ChainGraph graph = chain_graph(network);
  for (const ChainPart& part : graph.parts) {
    Ring ring{name, {}, {}, {}};
    for (const std::size_t index : part.stations) {
      const ChainStation& station = graph.stations[index];
      ring.nodes.insert(station.node);
      for (const ChainLink& link : station.links)
        ring.cables.insert(std::minmax(station.node, graph.stations[link.peer].node));
    }
    if (ring.nodes.size() > 2) rings_.push_back(std::move(ring));
  }
}

void ServiceWatch::add_subnets(const std::string& name, const NetworkSpec& network) {
  for (const InfinibandSubnet& subnet : infiniband_subnets(network).subnets) {
    std::vector<PortRef> managers = manager_ports(network, subnet);
    if (managers.empty()) continue;
    std::set<NodeName> hosts;
    for (const PortRef& port : subnet.host_ports)
      hosts.insert(port.node);
    subnets_.push_back({name, std::move(managers), std::move(hosts), false, {}});
  }
}

void ServiceWatch::look(TimePoint now) {
  down_ = lost_;
  for (const NodeName& node : nodes_) {
    if (lab_.power(node) != lab::Power::up) down_.insert(node);
  }
  if (down_.size() > service_.down_at_once.size())
    service_.down_at_once.assign(down_.begin(), down_.end());
  for (Ring& ring : rings_)
    look_at_ring(ring, now);
  for (Subnet& subnet : subnets_)
    look_at_subnet(subnet, now);
}

void ServiceWatch::look_at_ring(Ring& ring, TimePoint now) {
  Groups groups = joined(ring.nodes, ring.cables, down_);
  const bool is_cut = groups.size() > 1;
  if (is_cut && !ring.cut) {
    ring.cut = Outage{ring.network, now, Duration{0}, true, std::move(groups), {}};
    std::set_intersection(
        down_.begin(),
        down_.end(),
        ring.nodes.begin(),
        ring.nodes.end(),
        std::back_inserter(ring.cut->down));
  }
  if (is_cut || !ring.cut) return;
  keep_longest(service_.ring_cut, *std::move(ring.cut), now, true);
  ring.cut.reset();
}

void ServiceWatch::look_at_subnet(Subnet& subnet, TimePoint now) {
  const bool managed = std::ranges::any_of(subnet.managers, [this](const PortRef& port) {
    return !down_.contains(port.node) && lab_.is_managed(port);
  });
  subnet.was_managed = subnet.was_managed || managed;
  const auto up = std::ranges::count_if(
      subnet.hosts, [this](const auto& node) { return !down_.contains(node); });
  const bool missed = !managed && subnet.was_managed && up > 1;
  if (missed && !subnet.unmanaged) {
    subnet.unmanaged = Outage{
        subnet.network,
        now,
        Duration{0},
        true,
        {},
        std::vector<NodeName>{down_.begin(), down_.end()}};
  }
  if (missed || !subnet.unmanaged) return;
  keep_longest(service_.unmanaged, *std::move(subnet.unmanaged), now, true);
  subnet.unmanaged.reset();
}

Service ServiceWatch::end(TimePoint now) {
  look(now);
  for (Ring& ring : rings_) {
    if (ring.cut) keep_longest(service_.ring_cut, *ring.cut, now, false);
  }
  for (Subnet& subnet : subnets_) {
    if (subnet.unmanaged) keep_longest(service_.unmanaged, *subnet.unmanaged, now, false);
  }
  return service_;
}

}  // namespace fabric::rehearse
