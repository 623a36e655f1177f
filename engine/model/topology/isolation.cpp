// SPDX-License-Identifier: Apache-2.0
#include "engine/model/topology/isolation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/graph/dag.hpp"
#include "engine/model/partition_ports.hpp"
#include "engine/model/topology/infiniband_subnets.hpp"
#include "engine/model/topology/shared_bonds.hpp"

namespace fabric {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Ports that the cables join, over networks: a switch is one, whatever network its port is of.
class Wires {
 public:
  Wires(const FabricSpec& spec, bool infiniband) {
    std::vector<std::pair<PortRef, PortRef>> joined;
    const auto key_of = [](const NetworkSpec& network, const PortRef& port) {
      if (port.adapter.empty()) return PortRef{port.node, "", ""};
      if (network.mode.value == Mode::chain) return PortRef{port.node, port.adapter, ""};
      return port;
    };
    for (const auto& [name, network] : spec.networks) {
      if ((network.mode.value == Mode::infiniband) != infiniband) continue;
      for (const PortRef& port : network.member_ports()) {
        keys_.emplace(port, key_of(network, port));
        number(key_of(network, port));
      }
      for (const CableSpec& cable : network.cables)
        joined.emplace_back(key_of(network, cable.a.value), key_of(network, cable.b.value));
      // It is not known where they are plugged in: they count as one subnet.
      for (const Sourced<PortRef>& port : network.ports) {
        if (infiniband) joined.emplace_back(network.ports.front().value, port.value);
      }
    }
    for (const auto& [one, other] : paired_switches(spec)) {
      if (!infiniband) joined.emplace_back(PortRef{one, "", ""}, PortRef{other, "", ""});
    }
    for (const auto& [a, b] : joined) {
      number(a);
      number(b);
    }
    graph::Dag graph{numbers_.size()};
    for (const auto& [a, b] : joined) {
      if (a != b) graph.add_edge(number(a), number(b));
    }
    components_ = graph.components();
    for (const auto& [key, index] : numbers_) {
      if (key.adapter.empty()) switches_.try_emplace(components_[index], key.node.str());
    }
  }

  std::size_t component(const PortRef& port) const {
    return components_[numbers_.at(keys_.at(port))];
  }
  // "leaf1"; "" = there is none.
  std::string switch_of(const PortRef& port) const {
    const auto found = switches_.find(component(port));
    return found == switches_.end() ? std::string{} : found->second;
  }

 private:
  std::size_t number(const PortRef& key) {
    return numbers_.emplace(key, numbers_.size()).first->second;
  }

  std::map<PortRef, PortRef> keys_;
  std::map<PortRef, std::size_t> numbers_;
  std::vector<std::size_t> components_;
  std::map<std::size_t, std::string> switches_;  // the first switch of each component
};

bool is_host_port(const FabricSpec& spec, const PortRef& port) {
  const auto node = spec.nodes.find(port.node);
  return !port.adapter.empty() && node != spec.nodes.end() &&
         node->second.state.value != NodeState::absent;
}

// The addresses and routes of a side.
std::vector<const IpSpec*> ips_of(const FabricSpec& spec, const IsolatedSide& side) {
  std::vector<const IpSpec*> ips;
  for (const auto& [name, network] : spec.networks) {
    if (!side.network.empty() && side.network != name) continue;
    const std::vector<PortRef> ports = network.member_ports();
    const bool is_there = std::ranges::any_of(ports, [&](const PortRef& port) {
      return side.nodes.empty() || std::ranges::binary_search(side.nodes, port.node);
    });
    if (!is_there) continue;
    if (side.vlan.empty() && side.partition.empty()) {
      ips.push_back(&network.ipv4);
      ips.push_back(&network.ipv6);
      if (network.ipoib) ips.push_back(&network.ipoib->ipv4);
    }
    for (const VlanSpec& vlan : network.vlans) {
      const bool is_meant = (side.vlan.empty() && side.partition.empty()) ||
                            vlan.name == side.vlan ||
                            (!side.partition.empty() && vlan.partition.value == side.partition);
      if (is_meant) ips.push_back(&vlan.ipv4);
    }
  }
  return ips;
}

const RouteSpec* route_between(
    const std::vector<const IpSpec*>& from, const std::vector<const IpSpec*>& to) {
  for (const IpSpec* ip : from) {
    for (const RouteSpec& route : ip->routes) {
      const Result<Subnet> target = Subnet::parse(route.to.value);
      // It is not known where a default route ends.
      if (!target || target->prefix_length() == 0) continue;
      for (const IpSpec* other : to) {
        if (!other->subnet) continue;
        if (target->overlaps(other->subnet->value)) return &route;
      }
    }
  }
  return nullptr;
}

}  // namespace

bool Isolation::forwards(const FabricSpec& spec, const NodeSpec& node) {
  for (const char* key :
       {"net.ipv4.ip_forward", "net.ipv4.conf.all.forwarding", "net.ipv6.conf.all.forwarding"}) {
    const auto found = node.sysctl.find(key);
    if (found != node.sysctl.end() && found->second.value == "1") return true;
  }
  return std::ranges::any_of(spec.networks, [&](const auto& each) {
    const NetworkSpec& network = each.second;
    if (network.transit.value == Transit::none) return false;
    const std::vector<PortRef> ports = network.member_ports();
    return std::ranges::any_of(ports, [&](const PortRef& port) { return port.node == node.name; });
  });
}

Isolation::Isolation(const FabricSpec& spec, const std::set<NodeName>& forwarding)
    : spec_{spec}, forwarding_{forwarding} {
  for (const auto& [name, node] : spec.nodes) {
    if (!is_switch(node.platform.value) && forwards(spec, node)) forwarding_.insert(name);
  }
  add_ethernet();
  add_infiniband();
}

Isolation::Index Isolation::domain(const std::string& key, std::string words) {
  const auto [found, is_new] = domains_.emplace(key, words_.size());
  if (is_new) {
    words_.push_back(std::move(words));
    members_of_.emplace_back();
  }
  return found->second;
}

void Isolation::add(Member member) {
  members_of_[member.domain].push_back(members_.size());
  members_at_[member.node].push_back(members_.size());
  members_.push_back(std::move(member));
}

void Isolation::add_ethernet() {
  const Wires wires{spec_, false};
  for (const auto& [name, network] : spec_.networks) {
    if (network.mode.value == Mode::infiniband) continue;
    for (const PortRef& port : network.member_ports()) {
      if (!is_host_port(spec_, port)) continue;
      const std::string at = wires.switch_of(port);
      const std::string wire = fmt::format("wire {}", wires.component(port));
      const std::string where = at.empty() ? "the cables of " + name : at;
      const auto in_vlan = [&](std::uint32_t id) {
        return id == 0 ? domain(wire, fmt::format("what has no tag at {}", where))
                       : domain(
                             fmt::format("{} vlan {}", wire, id),
                             fmt::format("VLAN {} at {}", id, where));
      };
      // At the switch it has a tag too.
      add({port.node, in_vlan(network.access_vlan.value), name, "", ""});
      for (const VlanSpec& vlan : network.vlans)
        add({port.node, in_vlan(vlan.id.value), name, vlan.name, ""});
    }
  }
}

void Isolation::add_infiniband() {
  const Wires wires{spec_, true};
  for (const auto& [name, network] : spec_.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (const PortRef& port : network.member_ports()) {
      if (is_host_port(spec_, port))
        add_keys(network, port, fmt::format("subnet {}", wires.component(port)));
    }
  }
}

// Without partitions everybody is a full member of the default one. Whom it does not name is a
// limited member of it, and the managers are full ones (E-opensm-partitions).
void Isolation::add_keys(
    const NetworkSpec& network, const PortRef& port, const std::string& subnet) {
  const auto join = [&](std::int64_t key, const std::string& name, bool full) {
    const Index at = domain(
        fmt::format("{} key {}", subnet, key & kDefaultPartition),
        fmt::format("partition {} of {}", name.empty() ? "Default" : name, network.name));
    add({port.node, at, network.name, "", name, full});
  };
  bool has_default = false;
  for (const PartitionSpec& partition : network.partitions) {
    has_default = has_default || is_default(partition);
    if (partition.pkey.value == PartitionSpec::kUnreadable) continue;
    const PartitionMember* meant = nullptr;
    const std::vector<PartitionMember> members = members_for_manager(partition);
    for (const PartitionMember& member : members) {
      const bool is_self = member.who == "SELF" && places_manager(network, port);
      if (!is_self && (member.who == "SELF" || !means_port(member.who, port))) continue;
      if (meant == nullptr || specificity(member) > specificity(*meant)) meant = &member;
    }
    if (meant != nullptr || is_default(partition))
      join(partition.pkey.value, partition.name, meant != nullptr && meant->full.value);
  }
  if (!has_default)
    join(kDefaultPartition, "", network.partitions.empty() || places_manager(network, port));
}

bool Isolation::is_of(const Member& member, const IsolatedSide& side) const {
  if (side.network.empty()) return std::ranges::binary_search(side.nodes, member.node);
  if (member.network != side.network) return false;
  if (!side.partition.empty()) return member.partition == side.partition;
  return side.vlan.empty() || member.vlan == side.vlan;
}

std::string Isolation::way_to(Index last, const std::vector<Index>& from) const {
  std::vector<std::string> parts{members_[last].node.str()};
  for (Index at = last; from[at] != at; at = from[at]) {
    const Member& here = members_[at];
    const Member& before = members_[from[at]];
    if (here.node == before.node) {
      parts.back() += ", which forwards";
    } else {
      parts.push_back(words_[here.domain]);
      parts.push_back(before.node.str());
    }
  }
  std::reverse(parts.begin(), parts.end());
  return join(parts, " - ");
}

std::optional<Meeting> Isolation::by_routes(const IsolatedPair& pair) const {
  const std::vector<const IpSpec*> a = ips_of(spec_, pair.a);
  const std::vector<const IpSpec*> b = ips_of(spec_, pair.b);
  const RouteSpec* route = route_between(a, b);
  if (route == nullptr) route = route_between(b, a);
  if (route == nullptr) return std::nullopt;
  return Meeting{
      fmt::format("the route to {} via {}", route->to.value, route->via.value), route->to.range};
}

std::optional<Meeting> Isolation::meeting(const IsolatedPair& pair) const {
  std::vector<Index> from(members_.size(), kNone), queue;
  const auto reach = [&](Index member, Index by) {
    if (from[member] != kNone) return;
    from[member] = by;
    queue.push_back(member);
  };
  for (Index member = 0; member < members_.size(); ++member) {
    if (is_of(members_[member], pair.a)) reach(member, member);
  }
  // By domain: true if a full member, or a limited one, has been heard there.
  std::vector<bool> by_full(words_.size()), by_limited(words_.size());
  for (Index i = 0; i < queue.size(); ++i) {
    const Member& here = members_[queue[i]];
    if (is_of(here, pair.b)) return Meeting{way_to(queue[i], from)};
    const bool forwards = forwarding_.contains(here.node);
    if (forwards) {
      for (const Index other : members_at_.at(here.node))
        reach(other, queue[i]);
    }
    if (!forwards && from[queue[i]] != queue[i]) continue;
    if (by_full[here.domain] || (by_limited[here.domain] && !here.full)) continue;
    (here.full ? by_full : by_limited)[here.domain] = true;
    for (const Index other : members_of_[here.domain]) {
      if (here.full || members_[other].full) reach(other, queue[i]);
    }
  }
  return by_routes(pair);
}

std::vector<CommonPlace> Isolation::common(const NodeName& one, const NodeName& other) const {
  std::set<CommonPlace> places;
  const auto of_one = members_at_.find(one);
  const auto of_other = members_at_.find(other);
  if (of_one == members_at_.end() || of_other == members_at_.end()) return {};
  for (const Index a : of_one->second) {
    for (const Index b : of_other->second) {
      const Member& here = members_[a];
      const Member& there = members_[b];
      if (here.domain != there.domain || here.network != there.network) continue;
      places.insert(
          {words_[here.domain], here.network, here.vlan, here.partition, here.full, there.full});
    }
  }
  return {places.begin(), places.end()};
}

}  // namespace fabric
