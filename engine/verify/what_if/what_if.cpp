// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/what_if/what_if.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/discovery/evidence.hpp"
#include "engine/discovery/reach_fabric.hpp"
#include "engine/model/topology/infiniband_subnets.hpp"
#include "engine/model/topology/path_losses.hpp"
#include "engine/verify/paths/link_components.hpp"
#include "engine/verify/paths/topology.hpp"

namespace fabric::verify {

namespace {

using PortsOfHosts = std::map<NodeName, std::vector<PortRef>>;

bool joins(const CableSpec& cable, const std::pair<PortRef, PortRef>& ends) {
  const PortRef& a = cable.a.value;
  const PortRef& b = cable.b.value;
  return (a == ends.first && b == ends.second) || (a == ends.second && b == ends.first);
}

Result<void> cut(FabricSpec& spec, const std::pair<PortRef, PortRef>& ends) {
  for (auto& [name, network] : spec.networks) {
    const auto found = std::ranges::find_if(
        network.cables, [&](const CableSpec& cable) { return joins(cable, ends); });
    if (found == network.cables.end()) continue;
    network.cables.erase(found);
    return {};
  }
  return Error{
      ErrorCode::not_found,
      fmt::format("no declared cable joins {} and {}", ends.first.str(), ends.second.str())};
}

PortsOfHosts ports_of_hosts(const FabricSpec& spec, const NetworkSpec& network) {
  PortsOfHosts ports;
  for (const PortRef& port : network.member_ports()) {
    const auto node = spec.nodes.find(port.node);
    const bool is_host = node != spec.nodes.end() && !is_switch(node->second.platform.value);
    if (is_host && !is_offline(node->second)) ports[port.node].push_back(port);
  }
  return ports;
}

// Judges which hosts reach each other in one network.
class Reach {
 public:
  Reach(const FabricSpec& spec, const NetworkSpec& network)
      : topology_{spec},
        components_{
            network,
            dark_cables(spec, network),
            has_transit(network) ? Through::hosts : Through::switches},
        mode_{network.mode.value} {}

  bool connect(const std::vector<PortRef>& these, const std::vector<PortRef>& those) const {
    if (mode_ != Mode::chain) return components_.connect(these, those);
    return std::ranges::any_of(these, [&](const PortRef& one) {
      return std::ranges::any_of(those, [&](const PortRef& other) {
        return topology_.route(one, other).complete || topology_.route(other, one).complete;
      });
    });
  }

 private:
  static std::set<std::size_t> dark_cables(const FabricSpec& spec, const NetworkSpec& network) {
    std::set<std::size_t> dark;
    for (std::size_t index = 0; index < network.cables.size(); ++index) {
      if (discovery::leads_to_offline(spec, network.cables[index])) dark.insert(index);
    }
    return dark;
  }

  Topology topology_;
  LinkComponents components_;
  Mode mode_;
};

// `ports` are those of the hosts that are up after it.
void add_pairs(
    const std::string& network,
    const PortsOfHosts& ports,
    const Reach& before,
    const Reach& after,
    Losses& losses) {
  for (auto one = ports.begin(); one != ports.end(); ++one) {
    for (auto other = std::next(one); other != ports.end(); ++other) {
      if (!before.connect(one->second, other->second)) continue;
      ++losses.pairs;
      if (!after.connect(one->second, other->second))
        losses.lost.push_back({network, one->first, other->first});
    }
  }
}

// Ports whose cable is there and leads to something that is up.
std::size_t lit_ports(
    const FabricSpec& spec, const NetworkSpec& network, const std::vector<PortRef>& ports) {
  return static_cast<std::size_t>(std::ranges::count_if(ports, [&](const PortRef& port) {
    return std::ranges::any_of(network.cables, [&](const CableSpec& cable) {
      return (cable.a.value == port || cable.b.value == port) &&
             !discovery::leads_to_offline(spec, cable);
    });
  }));
}

void add_bonds(
    const FabricSpec& before,
    const FabricSpec& after,
    const NetworkSpec& network,
    const PortsOfHosts& ports,
    Losses& losses) {
  if (lag_of(network) == nullptr) return;
  for (const auto& [node, slaves] : ports) {
    const std::size_t left = lit_ports(after, network, slaves);
    if (left < lit_ports(before, before.networks.at(network.name), slaves))
      losses.bonds.push_back({network.name, node, left, slaves.size()});
  }
}

bool is_managed(
    const FabricSpec& spec, const NetworkSpec& network, const InfinibandSubnet& subnet) {
  const bool by_host = std::ranges::any_of(subnet.host_ports, [&](const PortRef& port) {
    return !is_offline(spec, port.node) && places_manager(network, port);
  });
  return by_host || std::ranges::any_of(subnet.switches, [&](const NodeName& each) {
           return !is_offline(spec, each) && places_manager(network, {each, "", ""});
         });
}

std::vector<NodeName> hosts_of(const FabricSpec& spec, const InfinibandSubnet& subnet) {
  std::set<NodeName> hosts;
  for (const PortRef& port : subnet.host_ports) {
    if (!is_offline(spec, port.node)) hosts.insert(port.node);
  }
  return {hosts.begin(), hosts.end()};
}

void add_subnets(
    const FabricSpec& before, const FabricSpec& after, NetworkSpec network, Losses& losses) {
  const NetworkSpec& declared = before.networks.at(network.name);
  const bool external = network.subnet_manager && network.subnet_manager->external.value;
  if (network.mode.value != Mode::infiniband || external) return;
  std::erase_if(network.cables, [&](const CableSpec& cable) {
    return discovery::leads_to_offline(after, cable);
  });
  const InfinibandSubnets were = infiniband_subnets(declared);
  for (const InfinibandSubnet& subnet : infiniband_subnets(network).subnets) {
    std::vector<NodeName> hosts = hosts_of(after, subnet);
    if (hosts.empty() || is_managed(after, network, subnet)) continue;
    const auto was = were.of_port.find(subnet.host_ports.front());
    // A subnet without a manager before has lost none.
    if (was == were.of_port.end() || !is_managed(before, declared, were.subnets[was->second]))
      continue;
    losses.unmanaged.push_back({network.name, std::move(hosts)});
  }
}

// Adds the losses of a network of mode chain whose hosts have addresses; false for any other.
bool add_addresses(
    const std::string& network,
    const std::vector<reach::NetworkNow>& chains,
    const Outage& outage,
    Losses& losses) {
  const auto chain =
      std::ranges::find_if(chains, [&](const auto& each) { return each.network == network; });
  if (chain == chains.end() || reach::address_pairs(chain->fabric).empty()) return false;
  std::set<PortRef> dark;
  for (const auto& [a, b] : outage.cut)
    dark.insert({a, b});
  reach::Losses found = reach::losses_without(*chain, outage.down, dark);
  losses.pairs += found.host_pairs;
  for (const auto& [one, other] : found.apart)
    losses.lost.push_back({network, one, other});
  if (found.lost == 0 && found.unknown == 0) return true;
  losses.addresses.push_back(
      {network,
       found.worked,
       found.lost,
       found.unknown,
       std::move(found.example),
       std::move(found.left)});
  return true;
}

}  // namespace

Result<Losses> losses(const FabricSpec& spec, const Outage& outage) {
  FabricSpec after = spec;
  for (const auto& ends : outage.cut)
    FABRIC_TRY(cut(after, ends));
  for (const NodeName& node : outage.down)
    after.nodes.at(node).state.value = NodeState::offline;
  Losses losses;
  const std::vector<reach::NetworkNow> chains = discovery::declared_paths(spec);
  for (const auto& [name, network] : after.networks) {
    const NetworkSpec& declared = spec.networks.at(name);
    // Counts by the declared cables: a port that is unplugged is still a port of its host.
    PortsOfHosts ports = ports_of_hosts(after, declared);
    if (!add_addresses(name, chains, outage, losses))
      add_pairs(name, ports, Reach{spec, declared}, Reach{after, network}, losses);
    add_bonds(spec, after, network, ports, losses);
    add_subnets(spec, after, network, losses);
  }
  return losses;
}

Result<PortRef> cable_end(const FabricSpec& spec, std::string_view text) {
  std::set<PortRef> found;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      for (const PortRef* end : {&cable.a.value, &cable.b.value}) {
        if (end->str() == text) return *end;
        if (end->node.str() + "/" + end->port == text) found.insert(*end);
      }
    }
  }
  if (found.size() == 1) return *found.begin();
  if (found.empty())
    return Error{ErrorCode::not_found, fmt::format("no declared cable ends at {}", text)};
  std::vector<std::string> names;
  for (const PortRef& port : found)
    names.push_back(port.str());
  return Error{
      ErrorCode::invalid,
      fmt::format("{} may be any of {}: name the adapter", text, join(names, ", "))};
}

}  // namespace fabric::verify
