// SPDX-License-Identifier: Apache-2.0
#include "engine/model/topology/network_cuts.hpp"

#include <algorithm>

#include "engine/model/topology/infiniband_subnets.hpp"

namespace fabric {

namespace {

bool share(const std::vector<std::size_t>& one, const std::vector<std::size_t>& other) {
  auto a = one.begin();
  auto b = other.begin();
  while (a != one.end() && b != other.end()) {
    if (*a == *b) return true;
    if (*a < *b) {
      ++a;
    } else {
      ++b;
    }
  }
  return false;
}

void make_set(std::vector<std::size_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Hosts forward from cable to cable.
bool routes_through_hosts(const NetworkSpec& network) {
  return has_transit(network) ||
         (network.mode.value == Mode::ethernet && network.transit.value == Transit::by_frr);
}

// There, and not known to be down.
bool is_up(const FabricSpec& spec, const std::set<NodeName>& away, const NodeName& name) {
  const auto node = spec.nodes.find(name);
  return node != spec.nodes.end() && !away.contains(name) && !is_offline(node->second) &&
         (is_switch(node->second.platform.value) || node->second.state.value != NodeState::absent);
}

}  // namespace

// The rest of the graph after an outage.
struct NetworkCuts::Fallen {
  std::set<Index> vertices;     // taken out
  std::set<Index> edges;        // edges that carry nothing for another reason
  std::map<Index, Index> part;  // by vertex outside of its component's largest part
  std::vector<std::vector<Index>> parts;
  Index first_rest = 0;               // index in `parts` of the first remainder
  std::set<Index> hosts;              // taken out
  std::vector<std::size_t> hosts_in;  // number of hosts by part
};

// Hosts that were in the same components and are in the same parts.
struct NetworkCuts::Group {
  Index before = kNone;  // index in signatures_
  Signature after;  // a part counts as a component behind the last; empty: it reaches no other host
  std::vector<Index> hosts;
};

NetworkCuts::NetworkCuts(
    const FabricSpec& spec,
    const NetworkSpec& network,
    const std::set<NodeName>& away,
    const std::set<std::size_t>& dark)
    : network_{network},
      joins_hosts_{routes_through_hosts(network)},
      joins_cards_{network.mode.value == Mode::chain} {
  add_hosts(spec, away);
  add_cables(spec, away, dark);
  add_listed_ports(spec, away);
  cuts_.emplace(vertices_.size() + 1, edges_);
  add_managers();
  sort_hosts();
}

PortRef NetworkCuts::key_of(const PortRef& port) const {
  if (port.adapter.empty() || joins_hosts_) return {port.node, "", ""};
  if (joins_cards_) return {port.node, port.adapter, ""};
  return port;
}

NetworkCuts::Index NetworkCuts::vertex(const PortRef& port) {
  const auto [found, is_new] = vertices_.emplace(key_of(port), vertices_.size());
  if (is_new) {
    vertices_of_[port.node].push_back(found->second);
    const auto host = host_number_.find(port.node);
    host_at_.push_back(host == host_number_.end() ? kNone : host->second);
    if (host != host_number_.end()) vertices_of_host_[host->second].push_back(found->second);
  }
  return found->second;
}

void NetworkCuts::add_hosts(const FabricSpec& spec, const std::set<NodeName>& away) {
  const std::vector<PortRef> members = network_.member_ports();
  for (const PortRef& port : members) {
    if (port.adapter.empty() || !is_up(spec, away, port.node)) continue;
    if (is_switch(spec.nodes.at(port.node).platform.value)) continue;
    const auto [host, is_new] = host_number_.emplace(port.node, hosts_.size());
    if (is_new) {
      hosts_.push_back(port.node);
      vertices_of_host_.emplace_back();
      ports_of_host_.push_back(0);
    }
    ++ports_of_host_[host->second];
  }
  lit_.resize(hosts_.size());
  for (const PortRef& port : members)
    vertex(port);
}

void NetworkCuts::add_cables(
    const FabricSpec& spec, const std::set<NodeName>& away, const std::set<Index>& dark) {
  edge_of_cable_.assign(network_.cables.size(), kNone);
  for (Index cable = 0; cable < network_.cables.size(); ++cable) {
    const PortRef& a = network_.cables[cable].a.value;
    const PortRef& b = network_.cables[cable].b.value;
    if (dark.contains(cable) || !is_up(spec, away, a.node) || !is_up(spec, away, b.node)) continue;
    edge_of_cable_[cable] = edges_.size();
    std::pair<Index, Index> ends{kNone, kNone};
    for (const auto& [port, end] : {std::pair{&a, &ends.first}, std::pair{&b, &ends.second}}) {
      edges_of_port_[*port].push_back(edges_.size());
      const Index host = host_at_[vertex(*port)];
      if (host == kNone) continue;
      *end = host;
      ++lit_[host];
    }
    edges_.emplace_back(vertex(a), vertex(b));
    host_ends_.push_back(ends);
  }
}

// Listed ports meet at an unknown place, or at the first switch: one more vertex, the last.
void NetworkCuts::add_listed_ports(const FabricSpec& spec, const std::set<NodeName>& away) {
  if (network_.mode.value != Mode::infiniband || network_.ports.empty()) return;
  const Index meeting = vertices_.size();
  const auto join = [&](Index vertex) {
    edges_.emplace_back(vertex, meeting);
    host_ends_.emplace_back(kNone, kNone);
  };
  for (const Sourced<PortRef>& port : network_.ports) {
    if (!is_up(spec, away, port.value.node)) continue;
    edges_of_port_[port.value].push_back(edges_.size());
    join(vertex(port.value));
  }
  const InfinibandSubnets all = infiniband_subnets(network_);
  const auto subnet = all.of_port.find(network_.ports.front().value);
  if (subnet == all.of_port.end()) return;
  for (const NodeName& each : all.subnets[subnet->second].switches) {
    if (is_up(spec, away, each)) join(vertex({each, "", ""}));
  }
}

void NetworkCuts::add_managers() {
  managers_at_.resize(vertices_.size() + 1);
  vertices_of_manager_.resize(network_.subnet_managers.size());
  if (network_.mode.value != Mode::infiniband ||
      (network_.subnet_manager && network_.subnet_manager->external.value))
    return;
  for (Index manager = 0; manager < network_.subnet_managers.size(); ++manager) {
    const SubnetManagerPlacement& placed = network_.subnet_managers[manager];
    for (const auto& [key, at] : vertices_) {
      const bool is_meant = key.node.str() == placed.node.value &&
                            (key.adapter.empty() || port_fits(key, placed.port.value));
      if (!is_meant || (host_at_[at] == kNone && !key.adapter.empty())) continue;
      managers_at_[at].push_back(manager);
      vertices_of_manager_[manager].push_back(at);
      ++managers_in_[cuts_->component(at)];
    }
  }
}

void NetworkCuts::sort_hosts() {
  std::map<Signature, Index> known;
  for (Index host = 0; host < hosts_.size(); ++host) {
    Signature signature;
    for (const Index vertex : vertices_of_host_[host])
      signature.push_back(cuts_->component(vertex));
    make_set(signature);
    const auto [found, is_new] = known.emplace(std::move(signature), known.size());
    if (is_new) {
      signatures_.push_back(found->first);
      hosts_with_.emplace_back();
    }
    hosts_with_[found->second].push_back(host);
    signature_of_.push_back(found->second);
  }
  host_vertices_in_.resize(vertices_.size() + 1);
  for (Index vertex = 0; vertex < host_at_.size(); ++vertex) {
    if (is_of_host(vertex)) host_vertices_in_[cuts_->component(vertex)].push_back(vertex);
  }
  signatures_in_.resize(vertices_.size() + 1);
  for (Index signature = 0; signature < signatures_.size(); ++signature) {
    for (const Index component : signatures_[signature])
      signatures_in_[component].push_back(signature);
  }
  for (Index one = 0; one < signatures_.size(); ++one) {
    const std::size_t count = hosts_with_[one].size();
    pairs_ += count * (count - 1) / 2;
    std::vector<Index> others;
    for (const Index component : signatures_[one])
      others.insert(
          others.end(), signatures_in_[component].begin(), signatures_in_[component].end());
    make_set(others);
    for (const Index other : others)
      pairs_ += other > one ? count * hosts_with_[other].size() : 0;
  }
}

// Adds the remainder of a component as a part if it has no more hosts than the parts that fell off:
// of two halves neither is the fabric.
void NetworkCuts::add_rest(Fallen& fallen, std::vector<graph::Cuts::Part>& parts) const {
  std::map<Index, std::size_t> most, out;  // by component: hosts of the largest part, of all parts
  for (const graph::Cuts::Part& part : parts) {
    const auto hosts = static_cast<std::size_t>(std::ranges::count_if(part, [&](Index vertex) {
      return is_of_host(vertex) && !fallen.vertices.contains(vertex);
    }));
    std::size_t& known = most[cuts_->component(part.front())];
    known = std::max(known, hosts);
  }
  for (const auto& [vertex, part] : fallen.part)
    out[cuts_->component(vertex)] += is_of_host(vertex) ? 1U : 0U;
  for (const Index vertex : fallen.vertices) {
    const bool is_counted = fallen.part.contains(vertex) || !is_of_host(vertex);
    if (!is_counted) ++out[cuts_->component(vertex)];
  }
  for (const auto& [component, hosts] : most) {
    const std::vector<Index>& all = host_vertices_in_[component];
    if (hosts == 0 || all.size() - out[component] > hosts) continue;
    graph::Cuts::Part rest;
    for (const Index vertex : all) {
      if (!fallen.part.contains(vertex) && !fallen.vertices.contains(vertex))
        rest.push_back(vertex);
    }
    if (rest.empty()) continue;
    for (const Index vertex : rest)
      fallen.part.emplace(vertex, parts.size());
    parts.push_back(std::move(rest));
  }
}

// The outage: the graph knows the parts without one cable or switch, and the vertices at the end of
// a cable fall off alone.
NetworkCuts::Fallen NetworkCuts::fallen(const TakenOut& taken) const {
  Fallen fallen;
  for (const NodeName& node : taken.nodes) {
    const auto host = host_number_.find(node);
    if (host != host_number_.end()) fallen.hosts.insert(host->second);
    const auto vertices = vertices_of_.find(node);
    if (vertices == vertices_of_.end()) continue;
    fallen.vertices.insert(vertices->second.begin(), vertices->second.end());
  }
  for (const Index cable : taken.cables) {
    if (edge_of_cable_[cable] != kNone) fallen.edges.insert(edge_of_cable_[cable]);
  }
  for (const PortRef& port : taken.ports) {
    const auto edges = edges_of_port_.find(port);
    if (edges != edges_of_port_.end())
      fallen.edges.insert(edges->second.begin(), edges->second.end());
  }
  std::vector<Index> vertices, edges, leaves;
  for (const Index vertex : fallen.vertices) {
    if (!is_leaf(vertex)) vertices.push_back(vertex);
  }
  for (const Index edge : fallen.edges) {
    const auto& [a, b] = edges_[edge];
    if (a == b || fallen.vertices.contains(a) || fallen.vertices.contains(b)) continue;
    if (is_leaf(a)) {
      leaves.push_back(a);
    } else if (is_leaf(b)) {
      leaves.push_back(b);
    } else {
      edges.push_back(edge);
    }
  }
  std::vector<graph::Cuts::Part> parts;
  if (vertices.size() + edges.size() > 1) {
    parts = cuts_->without(
        {fallen.vertices.begin(), fallen.vertices.end()},
        {fallen.edges.begin(), fallen.edges.end()});
    leaves.clear();
  } else if (!vertices.empty()) {
    parts = cuts_->without_vertex(vertices.front());
  } else if (!edges.empty()) {
    parts = cuts_->without_edge(edges.front());
  }
  for (const Index leaf : leaves)
    parts.push_back({leaf});
  for (Index part = 0; part < parts.size(); ++part) {
    for (const Index vertex : parts[part])
      fallen.part.insert_or_assign(vertex, part);
  }
  fallen.first_rest = parts.size();
  add_rest(fallen, parts);
  fallen.hosts_in.resize(parts.size());
  fallen.parts.resize(parts.size());
  std::set<std::pair<Index, Index>> counted;
  for (const auto& [vertex, part] : fallen.part) {
    if (fallen.vertices.contains(vertex) || vertex >= host_at_.size()) continue;
    fallen.parts[part].push_back(vertex);
    if (host_at_[vertex] != kNone && counted.emplace(host_at_[vertex], part).second)
      ++fallen.hosts_in[part];
  }
  return fallen;
}

NetworkCuts::Signature NetworkCuts::after(Index host, const Fallen& fallen) const {
  Signature after;
  for (const Index vertex : vertices_of_host_[host]) {
    const auto part = fallen.part.find(vertex);
    if (part == fallen.part.end()) {
      after.push_back(cuts_->component(vertex));
    } else if (fallen.hosts_in[part->second] > 1) {
      after.push_back(cuts_->vertex_count() + part->second);
    }
  }
  make_set(after);
  return after;
}

std::vector<NetworkCuts::Group> NetworkCuts::groups(const Fallen& fallen) const {
  std::vector<Index> touched;
  for (const std::vector<Index>& part : fallen.parts) {
    for (const Index vertex : part) {
      const Index host = host_at_[vertex];
      if (host != kNone && !fallen.hosts.contains(host)) touched.push_back(host);
    }
  }
  make_set(touched);
  std::map<std::pair<Index, Signature>, Index> known;
  std::vector<Group> groups;
  for (const Index host : touched) {
    const Index before = signature_of_[host];
    Signature signature = after(host, fallen);
    const auto [found, is_new] = known.emplace(std::pair{before, signature}, groups.size());
    if (is_new) groups.push_back({before, std::move(signature), {}});
    groups[found->second].hosts.push_back(host);
  }
  return groups;
}

// For each signature: the number of hosts that are only in largest parts.
std::vector<NetworkCuts::Index> NetworkCuts::untouched(
    const std::vector<Group>& groups, const Fallen& fallen) const {
  std::vector<Index> count(signatures_.size());
  for (Index signature = 0; signature < signatures_.size(); ++signature)
    count[signature] = hosts_with_[signature].size();
  for (const Index host : fallen.hosts)
    --count[signature_of_[host]];
  for (const Group& group : groups)
    count[group.before] -= group.hosts.size();
  return count;
}

NetworkCuts::Index NetworkCuts::first_of(Index signature, const Fallen& fallen) const {
  for (const Index host : hosts_with_[signature]) {
    const std::vector<Index>& vertices = vertices_of_host_[host];
    const bool is_touched =
        std::ranges::any_of(vertices, [&](Index vertex) { return fallen.part.contains(vertex); });
    if (!is_touched && !fallen.hosts.contains(host)) return host;
  }
  return kNone;
}

void NetworkCuts::count_pairs(const Fallen& fallen, NetworkLoss& loss) const {
  const std::vector<Group> groups = this->groups(fallen);
  if (groups.empty()) return;
  const std::vector<Index> left = untouched(groups, fallen);
  const auto note = [&](Index one, Index other, std::size_t pairs) {
    loss.pairs += pairs;
    if (!loss.example) loss.example = std::minmax(hosts_[one], hosts_[other]);
  };
  for (Index number = 0; number < groups.size(); ++number) {
    const Group& group = groups[number];
    const Signature& before = signatures_[group.before];
    const std::size_t size = group.hosts.size();
    const std::size_t were = loss.pairs;
    bool loses = false, reaches = size > 1 && !group.after.empty();
    if (group.after.empty() && !before.empty() && size > 1)
      note(group.hosts[0], group.hosts[1], size * (size - 1) / 2);
    std::vector<Index> near;
    for (const Index component : before)
      near.insert(near.end(), signatures_in_[component].begin(), signatures_in_[component].end());
    make_set(near);
    for (const Index signature : near) {
      if (left[signature] == 0) continue;
      if (share(signatures_[signature], group.after)) {
        reaches = true;
      } else {
        note(group.hosts.front(), first_of(signature, fallen), size * left[signature]);
      }
    }
    for (Index other = 0; other < groups.size(); ++other) {
      if (other == number || !share(signatures_[groups[other].before], before)) continue;
      if (share(groups[other].after, group.after)) {
        reaches = true;
      } else {
        loses = true;
        if (other > number)
          note(group.hosts.front(), groups[other].hosts.front(), size * groups[other].hosts.size());
      }
    }
    if (!loses && loss.pairs == were) continue;
    for (const Index host : group.hosts)
      loss.hosts.push_back(hosts_[host]);
    if (!reaches) loss.cut_off += size;
  }
  std::sort(loss.hosts.begin(), loss.hosts.end());
}

void NetworkCuts::list_pairs(const Fallen& fallen, NetworkLoss& loss) const {
  std::set<std::pair<NodeName, NodeName>> found;
  for (const Group& group : groups(fallen)) {
    for (const Index host : group.hosts) {
      for (Index other = 0; other < hosts_.size(); ++other) {
        if (other == host || fallen.hosts.contains(other)) continue;
        if (!share(signatures_[group.before], signatures_[signature_of_[other]])) continue;
        if (!share(group.after, after(other, fallen)))
          found.insert(std::minmax(hosts_[host], hosts_[other]));
      }
    }
  }
  loss.list.assign(found.begin(), found.end());
}

void NetworkCuts::count_bonds(const Fallen& fallen, NetworkLoss& loss) const {
  if (lag_of(network_) == nullptr) return;
  std::set<Index> edges = fallen.edges;
  for (const Index vertex : fallen.vertices) {
    const std::vector<Index>& at = cuts_->edges_at(vertex);
    edges.insert(at.begin(), at.end());
  }
  std::map<Index, std::size_t> lost;
  for (const Index edge : edges) {
    for (const Index host : {host_ends_[edge].first, host_ends_[edge].second}) {
      if (host != kNone && !fallen.hosts.contains(host)) ++lost[host];
    }
  }
  for (const auto& [host, count] : lost)
    loss.bonds.push_back({network_.name, hosts_[host], lit_[host] - count, ports_of_host_[host]});
}

void NetworkCuts::find_unmanaged(
    const TakenOut& taken, const Fallen& fallen, NetworkLoss& loss) const {
  if (managers_in_.empty()) return;
  const std::set<Index> stopped{taken.managers.begin(), taken.managers.end()};
  const auto running_at = [&](Index vertex) {
    const std::vector<Index>& at = managers_at_[vertex];
    return static_cast<std::size_t>(
        std::ranges::count_if(at, [&](Index manager) { return !stopped.contains(manager); }));
  };
  std::map<Index, std::size_t> left;  // by component: managers in its largest part
  const auto lose = [&](Index component, std::size_t count) {
    const auto managed = managers_in_.find(component);
    if (managed == managers_in_.end()) return;
    left.emplace(component, managed->second).first->second -= count;
  };
  for (const Index vertex : fallen.vertices)
    lose(cuts_->component(vertex), managers_at_[vertex].size());
  for (const Index manager : stopped) {
    for (const Index vertex : vertices_of_manager_[manager]) {
      if (!fallen.vertices.contains(vertex)) lose(cuts_->component(vertex), 1);
    }
  }
  std::set<NodeName> found;
  const auto add = [&](Index vertex) {
    if (host_at_[vertex] != kNone && !fallen.vertices.contains(vertex))
      found.insert(hosts_[host_at_[vertex]]);
  };
  for (Index number = 0; number < fallen.first_rest; ++number) {
    const std::vector<Index>& part = fallen.parts[number];
    // A port without a cable is no subnet.
    if (part.empty() || (part.size() == 1 && host_at_[part.front()] != kNone)) continue;
    const Index component = cuts_->component(part.front());
    std::size_t here = 0;
    for (const Index vertex : part) {
      here += running_at(vertex);
      lose(component, running_at(vertex));
    }
    if (here != 0 || !managers_in_.contains(component)) continue;
    for (const Index vertex : part)
      add(vertex);
  }
  std::set<Index> bare;
  for (const auto& [component, count] : left) {
    if (count == 0) bare.insert(component);
  }
  for (Index vertex = 0; !bare.empty() && vertex < host_at_.size(); ++vertex) {
    const auto part = fallen.part.find(vertex);
    const bool is_left = part == fallen.part.end() || part->second >= fallen.first_rest;
    if (is_left && bare.contains(cuts_->component(vertex))) add(vertex);
  }
  loss.unmanaged.assign(found.begin(), found.end());
}

NetworkLoss NetworkCuts::without(const TakenOut& taken, bool with_list) const {
  const Fallen fallen = this->fallen(taken);
  NetworkLoss loss;
  count_pairs(fallen, loss);
  if (with_list) list_pairs(fallen, loss);
  count_bonds(fallen, loss);
  find_unmanaged(taken, fallen, loss);
  return loss;
}

// Only bridges and vertices that join something cost a host anything.
std::map<NodeName, std::string> NetworkCuts::hanging() const {
  std::map<NodeName, std::string> found;
  for (const auto& [node, vertices] : vertices_of_) {
    const bool is_joint =
        std::ranges::any_of(vertices, [&](Index vertex) { return cuts_->is_articulation(vertex); });
    if (!is_joint && vertices.size() == 1) continue;
    if (std::ranges::all_of(vertices, [&](Index each) { return is_leaf(each); })) continue;
    for (const NodeName& host : without({{node}}).hosts)
      found.emplace(host, node.str());
  }
  for (Index cable = 0; cable < network_.cables.size(); ++cable) {
    const Index edge = edge_of_cable_[cable];
    if (edge == kNone || !cuts_->is_bridge(edge)) continue;
    for (const NodeName& host : without({{}, {cable}}).hosts)
      found.emplace(
          host,
          network_.cables[cable].a.value.str() + " - " + network_.cables[cable].b.value.str());
  }
  return found;
}

std::set<NodeName> nodes_that_join(const FabricSpec& spec, const NetworkSpec& network) {
  std::set<NodeName> nodes;
  for (const PortRef& port : network.member_ports()) {
    const bool is_joint =
        port.adapter.empty() || network.mode.value == Mode::chain || routes_through_hosts(network);
    if (is_joint && spec.nodes.contains(port.node)) nodes.insert(port.node);
  }
  return nodes;
}

}  // namespace fabric
