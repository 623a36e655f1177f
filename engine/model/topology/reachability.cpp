// SPDX-License-Identifier: Apache-2.0
#include "engine/model/topology/reachability.hpp"

#include <algorithm>

namespace fabric::reach {

namespace {

using Index = std::size_t;
constexpr Index kNone = static_cast<Index>(-1);

}  // namespace

// A fabric in which every unknown value is taken as the same one: all work, or none.
class Reachability::World {
 public:
  World(const Fabric& fabric, const Away& away, bool unknown_works)
      : fabric_{fabric}, away_{away}, unknown_works_{unknown_works} {
    for (Index host = 0; host < fabric.hosts.size(); ++host) {
      first_.push_back(ends_.size());
      for (Index port = 0; port < fabric.hosts[host].ports.size(); ++port)
        add_port(fabric.hosts[host].ports[port].name, host, port);
    }
    for (const auto& [a, b] : fabric.cables) {
      const Index one = find_or_add(a);
      const Index other = find_or_add(b);
      ends_[one].peer = other;
      ends_[other].peer = one;
    }
    for (Index end = 0; end < ends_.size(); ++end)
      by_node_[ends_[end].name.node].push_back(end);
    for (Index end = 0; end < ends_.size(); ++end)
      find_sibling(end);
    walks_.resize(ends_.size());
  }

  Index find(const PortRef& port) const {
    const auto found = index_.find(port);
    return found == index_.end() ? kNone : found->second;
  }

  Verdict exchange(
      Index from, const IpAddress& source, Index to, const IpAddress& target, Bound bound) const;

 private:
  struct End {
    PortRef name;
    Index host = kNone, port = kNone;  // in Fabric::hosts; kNone for switches, others
    Index peer = kNone, sibling = kNone;
    bool chains = false;
  };
  // The reach of one sender's frames: the functions that take its broadcasts, from 1 for the
  // nearest, 0 for the others; those that take frames to their own MAC address; and where the
  // frames go no further. By end: a ring asks for each two of its hosts.
  struct Walk {
    std::vector<std::uint32_t> taken;
    std::vector<bool> reached;
    std::uint32_t takers = 0;
    Cause cause = Cause::none;
    Index at = kNone;

    void take(Index end) {
      if (taken[end] == 0) taken[end] = ++takers;
    }
  };
  // One direction. `ambiguous`: it hangs on which of several answers counts.
  struct Leg {
    bool arrives = false, ambiguous = false;
    Index by = kNone, in = kNone, at = kNone;
    Cause cause = Cause::none;
  };

  void add_port(const PortRef& name, Index host, Index port) {
    index_.emplace(name, ends_.size());
    ends_.push_back({name, host, port});
  }

  Index find_or_add(const PortRef& name) {
    const Index known = find(name);
    if (known != kNone) return known;
    add_port(name, kNone, kNone);
    return ends_.size() - 1;
  }

  void find_sibling(Index index) {
    End& end = ends_[index];
    if (end.host == kNone) return;
    const auto& chaining = fabric_.hosts[end.host].chaining;
    const auto found = chaining.find(end.name.adapter);
    if (found == chaining.end() || !found->second.value_or(unknown_works_)) return;
    for (const Index other : by_node_.at(end.name.node)) {
      if (other != index && ends_[other].name.adapter == end.name.adapter) end.sibling = other;
    }
    end.chains = end.sibling != kNone;
  }

  bool is_away(const NodeName& node) const {
    return away_.nodes.contains(node) || (!unknown_works_ && away_.unknown.contains(node));
  }
  const Port& port_of(Index end) const {
    return fabric_.hosts[ends_[end].host].ports[ends_[end].port];
  }
  bool is_up(Index end) const { return port_of(end).up && !away_.closed.contains(ends_[end].name); }
  // The other end may have lost its light without this one knowing.
  bool has_carrier(Index end) const {
    const End& here = ends_[end];
    if (here.peer == kNone || away_.dark.contains(here.name) || is_away(here.name.node))
      return false;
    return away_.lit.contains(here.name) || !is_away(ends_[here.peer].name.node);
  }

  void stop(Walk& walk, Cause cause, Index at) const {
    if (walk.at != kNone) return;
    walk.cause = cause;
    walk.at = at;
  }
  bool crosses(Walk& walk, Index out) const;
  void arrive(Walk& walk, std::vector<Index>& leaving, Index from, Index in) const;
  const Walk& walk(Index from) const;

  Index route(Index host, const IpAddress& to, const IpAddress& source) const;
  Index lookup(Index host, std::uint32_t table, const IpAddress& to) const;
  bool has_route_by(Index end, const IpAddress& to) const;
  bool passes_filter(Index end, const IpAddress& source, const IpAddress& target) const;
  bool answers(Index end, const IpAddress& target, const IpAddress& sender) const;
  std::vector<Index> takers_of(const Walk& walk, Index host) const;
  std::vector<Index> resolve(
      Leg& leg, Index host, const IpAddress& source, const IpAddress& target) const;
  Leg send(Index by, Index host, const IpAddress& source, const IpAddress& target) const;
  Verdict verdict(const Leg& leg, bool answer) const;

  const Fabric& fabric_;
  Away away_;
  bool unknown_works_;
  std::vector<End> ends_;
  std::vector<Index> first_;  // by host: index of the end of its first port
  std::map<PortRef, Index> index_;
  std::map<NodeName, std::vector<Index>> by_node_;
  mutable std::vector<std::optional<Walk>> walks_;  // by sender
};

bool Reachability::World::crosses(Walk& walk, Index out) const {
  const Index in = ends_[out].peer;
  if (in == kNone || away_.dark.contains(ends_[out].name)) {
    stop(walk, Cause::no_link, out);
    return false;
  }
  if (is_away(ends_[in].name.node) || is_away(ends_[out].name.node)) {
    stop(walk, Cause::node_away, is_away(ends_[in].name.node) ? in : out);
    return false;
  }
  if (away_.dark.contains(ends_[in].name)) {
    stop(walk, Cause::no_link, in);
    return false;
  }
  return true;
}

void Reachability::World::arrive(
    Walk& walk, std::vector<Index>& leaving, Index from, Index in) const {
  const End& end = ends_[in];
  if (end.host == kNone) {
    if (!fabric_.switches.contains(end.name.node)) return stop(walk, Cause::not_chained, in);
    for (const Index other : by_node_.at(end.name.node)) {
      if (other != in) leaving.push_back(other);
    }
    return;
  }
  // A frame with an own address as its source is dropped, so that nothing goes round for ever.
  if (end.chains && (in == from || end.sibling == from)) return;
  walk.take(in);
  walk.reached[in] = true;
  if (!end.chains) return stop(walk, Cause::not_chained, in);
  if (fabric_.broadcast_to_both) walk.take(end.sibling);
  walk.reached[end.sibling] = true;
  leaving.push_back(end.sibling);
}

// Walks a sender's frames: one for one port takes the way of a broadcast up to its card.
const Reachability::World::Walk& Reachability::World::walk(Index from) const {
  if (walks_[from]) return *walks_[from];
  Walk& walk = walks_[from].emplace();
  walk.taken.resize(ends_.size());
  walk.reached.resize(ends_.size());
  std::vector<bool> left(ends_.size());
  std::vector<Index> leaving{from};
  for (Index i = 0; i < leaving.size(); ++i) {
    const Index out = leaving[i];
    if (left[out]) continue;
    left[out] = true;
    if (crosses(walk, out)) arrive(walk, leaving, from, ends_[out].peer);
  }
  return walk;
}

// The best route, of equal ones the first, whatever a packet is bound to (E-linux-equal-routes).
Index Reachability::World::lookup(Index host, std::uint32_t table, const IpAddress& to) const {
  const Route* best = nullptr;
  for (const Route& route : fabric_.hosts[host].routes) {
    if (route.table != table || !route.to.contains(to)) continue;
    const Index end = first_[host] + route.port;
    if (!is_up(end) || (port_of(end).ignores_linkdown && !has_carrier(end))) continue;
    const std::uint32_t length = route.to.prefix_length();
    if (best == nullptr || length > best->to.prefix_length() ||
        (length == best->to.prefix_length() && route.metric < best->metric))
      best = &route;
  }
  return best == nullptr ? kNone : first_[host] + best->port;
}

Index Reachability::World::route(Index host, const IpAddress& to, const IpAddress& source) const {
  for (const SourceRule& rule : fabric_.hosts[host].rules) {
    const Index found = rule.from == source ? lookup(host, rule.table, to) : kNone;
    if (found != kNone) return found;
  }
  return lookup(host, 0, to);
}

bool Reachability::World::has_route_by(Index end, const IpAddress& to) const {
  const std::vector<Route>& routes = fabric_.hosts[ends_[end].host].routes;
  return is_up(end) && std::ranges::any_of(routes, [&](const Route& route) {
           return route.port == ends_[end].port && route.to.contains(to);
         });
}

// The way back is looked up with the addresses exchanged, so that rules by source count.
bool Reachability::World::passes_filter(
    Index end, const IpAddress& source, const IpAddress& target) const {
  const std::uint32_t filter = port_of(end).rp_filter;
  if (filter == 0) return true;
  const Index back = route(ends_[end].host, source, target);
  return back != kNone && (filter != 1 || back == end);
}

bool Reachability::World::answers(
    Index end, const IpAddress& target, const IpAddress& sender) const {
  const Port& port = port_of(end);
  // An address stays one of the host, whatever becomes of its port.
  if (!is_up(end) || port.arp_ignore >= 8) return false;
  if (port.rp_filter == 1 && !passes_filter(end, sender, target)) return false;
  if (port.arp_ignore == 0) return true;
  return std::ranges::any_of(port.addresses, [&](const Address& own) {
    return own.address == target && (port.arp_ignore != 2 || own.subnet.contains(sender));
  });
}

// The ports of `host` that take a broadcast, the nearest first.
std::vector<Index> Reachability::World::takers_of(const Walk& walk, Index host) const {
  std::vector<Index> found;
  for (Index port = 0; port < fabric_.hosts[host].ports.size(); ++port) {
    if (walk.taken[first_[host] + port] != 0) found.push_back(first_[host] + port);
  }
  std::ranges::sort(
      found, [&](Index one, Index other) { return walk.taken[one] < walk.taken[other]; });
  return found;
}

// The ports of `host` that answer and whose answer comes back.
std::vector<Index> Reachability::World::resolve(
    Leg& leg, Index host, const IpAddress& source, const IpAddress& target) const {
  std::vector<Index> found;
  const Walk& question = walk(leg.by);
  leg.cause = question.cause;
  leg.at = question.at;
  for (const Index end : takers_of(question, host)) {
    if (!answers(end, target, source)) continue;
    const Walk& back = walk(end);
    if (back.reached[leg.by] && is_up(leg.by)) {
      found.push_back(end);
    } else {
      leg.cause = back.cause;
      leg.at = back.at;
    }
  }
  if (leg.at == kNone) leg.cause = Cause::no_answer;
  return found;
}

// Sends from the port `by` to `target`, which `host` has.
Reachability::World::Leg Reachability::World::send(
    Index by, Index host, const IpAddress& source, const IpAddress& target) const {
  Leg leg;
  leg.by = by;
  if (!has_carrier(by)) {
    leg.cause = Cause::no_carrier;
    leg.at = by;
    return leg;
  }
  std::vector<Index> answered = resolve(leg, host, source, target);
  std::size_t lost = 0;
  for (const Index mac : answered) {
    const Walk& frames = walk(by);
    if (!frames.reached[mac]) {
      ++lost;
      leg.cause = frames.cause;
      leg.at = frames.at;
    } else if (!passes_filter(mac, source, target)) {
      ++lost;
      leg.cause = Cause::filtered;
      leg.at = mac;
    } else if (leg.in == kNone) {
      leg.in = mac;
    }
  }
  leg.arrives = leg.in != kNone;
  leg.ambiguous = leg.arrives && lost != 0;
  return leg;
}

Verdict Reachability::World::verdict(const Leg& leg, bool answer) const {
  Verdict verdict{State::lost, leg.cause, {}, {}, answer};
  if (leg.by != kNone) verdict.by = ends_[leg.by].name;
  if (leg.at != kNone) verdict.at = ends_[leg.at].name;
  if (leg.arrives) verdict.state = leg.ambiguous ? State::unknown : State::kept;
  if (verdict.state == State::kept) return {};
  return verdict;
}

Verdict Reachability::World::exchange(
    Index from, const IpAddress& source, Index to, const IpAddress& target, Bound bound) const {
  const Index here = ends_[from].host;
  const Index there = ends_[to].host;
  for (const Index end : {from, to}) {
    if (is_away(ends_[end].name.node)) return {State::lost, Cause::node_away, {}, ends_[end].name};
  }
  Index by = bound == Bound::address ? route(here, target, source) : kNone;
  if (bound == Bound::port && has_route_by(from, target)) by = from;
  if (by == kNone) return {State::lost, Cause::no_route, {}, ends_[from].name};
  const Leg request = send(by, there, source, target);
  if (!request.arrives) return verdict(request, false);
  const Index back = route(there, source, target);
  if (back == kNone) return {State::lost, Cause::no_route, {}, ends_[to].name, true};
  Leg reply = send(back, here, target, source);
  if (!reply.arrives) return verdict(reply, true);
  if (bound == Bound::port && reply.in != from)
    return {State::lost, Cause::elsewhere, ends_[back].name, ends_[reply.in].name, true};
  return request.ambiguous ? verdict(request, false) : verdict(reply, true);
}

Reachability::Reachability(const Fabric& fabric, const Away& away)
    : best_{std::make_unique<World>(fabric, away, true)} {
  const bool is_known =
      away.unknown.empty() && std::ranges::all_of(fabric.hosts, [](const Host& host) {
        return std::ranges::all_of(
            host.chaining, [](const auto& card) { return card.second.has_value(); });
      });
  if (!is_known) worst_ = std::make_unique<World>(fabric, away, false);
}

Reachability::~Reachability() = default;

Verdict Reachability::between(const AddressPair& pair, Bound bound) const {
  return between(pair.a, pair.of_a, pair.b, pair.of_b, bound);
}

Verdict Reachability::between(
    const PortRef& from,
    const IpAddress& source,
    const PortRef& to,
    const IpAddress& target,
    Bound bound) const {
  const Index here = best_->find(from);
  const Index there = best_->find(to);
  if (here == kNone || there == kNone) return {State::unknown, Cause::no_route, {}, from};
  const Verdict best = best_->exchange(here, source, there, target, bound);
  if (worst_ == nullptr) return best;
  Verdict worst = worst_->exchange(here, source, there, target, bound);
  if (best.state != worst.state) worst.state = State::unknown;
  return worst;
}

}  // namespace fabric::reach
