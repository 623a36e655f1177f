// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/orders/work_orders.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/base/check.hpp"
#include "engine/value/digest.hpp"

namespace fabric::verify {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Cables along ports: `ports[i]` and `ports[i + 1]` are the ends of `cables[i]`, which are wanted
// and plugged in turns. In a cycle the last port is the first one.
struct Walk {
  std::vector<std::size_t> ports;
  std::vector<std::size_t> cables;
  bool begins_wanted = true;
};

class Planner {
 public:
  explicit Planner(const Wiring& wiring)
      : wiring_{wiring}, wanted_at_(wiring.place.size(), kNone), plugged_at_(wanted_at_) {
    enter(wiring.wanted, wanted_at_);
    enter(wiring.plugged, plugged_at_);
    // Cables that are as they should be are left out.
    for (std::size_t port = 0; port < wanted_at_.size(); ++port) {
      if (wanted_at_[port] == kNone || plugged_at_[port] == kNone) continue;
      const std::size_t other = other_end(wiring.wanted[wanted_at_[port]], port);
      if (other != other_end(wiring.plugged[plugged_at_[port]], port)) continue;
      for (const std::size_t end : {port, other})
        wanted_at_[end] = plugged_at_[end] = kNone;
    }
  }

  Repair plan() && {
    // A path begins where a port has only one of the two.
    for (std::size_t port = 0; port < wanted_at_.size(); ++port) {
      const bool wanted = wanted_at_[port] != kNone;
      if (wanted != (plugged_at_[port] != kNone)) take_path(walk_from(port, wanted));
    }
    for (std::size_t port = 0; port < wanted_at_.size(); ++port) {
      if (wanted_at_[port] != kNone) take_cycle(walk_from(port, true));
    }
    reuse();
    return std::move(repair_);
  }

 private:
  void enter(const std::vector<Wiring::Cable>& cables, std::vector<std::size_t>& at) {
    for (std::size_t cable = 0; cable < cables.size(); ++cable) {
      for (const std::size_t port : {cables[cable].a, cables[cable].b}) {
        FABRIC_CHECK(at.at(port) == kNone, "a port is in two cables");
        at[port] = cable;
      }
    }
  }

  static std::size_t other_end(const Wiring::Cable& cable, std::size_t port) {
    return cable.a == port ? cable.b : cable.a;
  }

  // Takes what it walks along out of the tables.
  Walk walk_from(std::size_t port, bool wanted) {
    Walk walk{{port}, {}, wanted};
    for (bool turn = wanted;; turn = !turn) {
      std::vector<std::size_t>& at = turn ? wanted_at_ : plugged_at_;
      const std::size_t cable = at[port];
      if (cable == kNone) return walk;
      const std::size_t next = other_end((turn ? wiring_.wanted : wiring_.plugged)[cable], port);
      at[port] = at[next] = kNone;
      walk.cables.push_back(cable);
      walk.ports.push_back(next);
      port = next;
    }
  }

  // The plug of cable `plugged` of the walk that makes it cable `wanted`, its neighbour there.
  Repair::Move move(const Walk& walk, std::size_t plugged, std::size_t wanted) const {
    const bool forward = wanted > plugged;
    const std::size_t shared = walk.ports[forward ? plugged + 1 : plugged];
    const std::size_t from = walk.ports[forward ? plugged : plugged + 1];
    const std::size_t to = walk.ports[forward ? wanted + 1 : wanted];
    return {walk.cables[wanted], walk.cables[plugged], from, to, shared, group_};
  }

  std::size_t distance(const Repair::Move& move) const {
    return wiring_.place[move.from] == wiring_.place[move.to] ? 0 : 1;
  }

  void take_path(const Walk& walk) {
    // A plugged cable alone, with no port of a wanted one.
    if (!walk.begins_wanted && walk.cables.size() == 1) return;
    const bool ends_wanted = walk.begins_wanted == (walk.cables.size() % 2 == 1);
    std::size_t left_out = walk.cables.size();
    if (walk.begins_wanted == ends_wanted) left_out = best_left_out(walk);
    if (left_out != walk.cables.size()) {
      (walk.begins_wanted ? repair_.added : repair_.removed)
          .push_back({walk.cables[left_out], group_});
    }
    // Each cable of the other kind goes with its neighbour, away from the one that is left out. A
    // path with as many of both is cut nowhere: it is as if the one before its begin were out.
    for (std::size_t at = 0; at < walk.cables.size(); ++at) {
      if (!is_plugged(walk, at) || at == left_out) continue;
      repair_.moves.push_back(move(walk, at, partner(walk, at, left_out)));
    }
    ++group_;
  }

  static bool is_plugged(const Walk& walk, std::size_t at) {
    return walk.begins_wanted == (at % 2 == 1);
  }

  // The wanted cable that the plugged cable `at` becomes.
  static std::size_t partner(const Walk& walk, std::size_t at, std::size_t left_out) {
    const bool cut = left_out != walk.cables.size();
    if (!cut) return walk.begins_wanted ? at - 1 : at + 1;
    if (walk.begins_wanted) return at < left_out ? at - 1 : at + 1;
    return at < left_out ? at + 1 : at - 1;
  }

  // The cable to leave out, of the same kind as the first, so that plugs are carried least far.
  std::size_t best_left_out(const Walk& walk) const {
    std::size_t cost = 0;
    for (std::size_t at = 0; at < walk.cables.size(); ++at) {
      if (is_plugged(walk, at) && at != 0) cost += distance(move(walk, at, partner(walk, at, 0)));
    }
    std::size_t best = 0;
    std::size_t best_cost = cost;
    for (std::size_t next = 2; next < walk.cables.size(); next += 2) {
      // From `next - 2` to `next` one pair more goes the other way.
      const std::size_t turned = walk.begins_wanted ? next - 1 : next - 2;
      const std::size_t former = walk.begins_wanted ? next - 1 : next;
      cost += distance(move(walk, turned, partner(walk, turned, next)));
      cost -= distance(move(walk, former, partner(walk, former, next - 2)));
      if (cost >= best_cost) continue;
      best = next;
      best_cost = cost;
    }
    return best;
  }

  // Moves all plugs of one side of the cycle, or all of the other.
  void take_cycle(const Walk& walk) {
    const auto with = [&](bool forward) {
      std::vector<Repair::Move> moves;
      for (std::size_t at = 1; at < walk.cables.size(); at += 2) {
        if (!forward) {
          moves.push_back(move(walk, at, at - 1));
          continue;
        }
        // The neighbour of the last one is the first.
        const std::size_t wanted = (at + 1) % walk.cables.size();
        moves.push_back(
            {walk.cables[wanted],
             walk.cables[at],
             walk.ports[at],
             walk.ports[wanted + 1],
             walk.ports[at + 1],
             group_});
      }
      return moves;
    };
    const auto cost = [&](const std::vector<Repair::Move>& moves) {
      std::size_t all = 0;
      for (const Repair::Move& each : moves)
        all += distance(each);
      return all;
    };
    std::vector<Repair::Move> moves = with(false);
    std::vector<Repair::Move> others = with(true);
    if (cost(others) < cost(moves)) moves = std::move(others);
    repair_.moves.insert(repair_.moves.end(), moves.begin(), moves.end());
    ++group_;
  }

  // Cables that are left over replace missing ones: two moves in place of four.
  void reuse() {
    const auto by_cable = [](const Repair::Whole& one, const Repair::Whole& other) {
      return one.cable < other.cable;
    };
    std::ranges::sort(repair_.added, by_cable);
    std::ranges::sort(repair_.removed, by_cable);
    const std::size_t both = std::min(repair_.added.size(), repair_.removed.size());
    for (std::size_t i = 0; i < both; ++i) {
      const Repair::Whole& added = repair_.added[i];
      const Repair::Whole& removed = repair_.removed[i];
      // A path has an added or a removed cable, so no group is joined twice.
      for (Repair::Move& move : repair_.moves) {
        if (move.group == added.group) move.group = removed.group;
      }
      add_both_plugs(added.cable, removed.cable, removed.group);
    }
    const auto used = static_cast<std::ptrdiff_t>(both);
    repair_.added.erase(repair_.added.begin(), repair_.added.begin() + used);
    repair_.removed.erase(repair_.removed.begin(), repair_.removed.begin() + used);
  }

  void add_both_plugs(std::size_t to, std::size_t from, std::size_t group) {
    const Wiring::Cable& wanted = wiring_.wanted[to];
    const Wiring::Cable& plugged = wiring_.plugged[from];
    const auto place = [&](std::size_t port) {
      return wiring_.place[port];
    };
    const bool crosswise =
        place(plugged.a) == place(wanted.b) || place(plugged.b) == place(wanted.a);
    const std::size_t of_a = crosswise ? wanted.b : wanted.a;
    const std::size_t of_b = crosswise ? wanted.a : wanted.b;
    repair_.moves.push_back({to, from, plugged.a, of_a, of_b, group});
    repair_.moves.push_back({to, from, plugged.b, of_b, of_a, group});
  }

  const Wiring& wiring_;
  // The cable at each port; kNone if there is none, or if it has been dealt with.
  std::vector<std::size_t> wanted_at_, plugged_at_;
  std::size_t group_ = 0;
  Repair repair_;
};

Spot spot_of(const FabricSpec& spec, const PortRef& port) {
  Spot spot{
      {}, {}, port.node.str(), port.adapter.empty() ? port.port : port.adapter + "/" + port.port};
  const auto node = spec.nodes.find(port.node);
  if (node == spec.nodes.end()) return spot;
  const auto label = [&](const char* name) {
    const auto found = node->second.labels.find(name);
    return found == node->second.labels.end() ? std::string{} : found->second.value;
  };
  spot.rack = label("rack");
  spot.unit = label("unit");
  return spot;
}

// The ports of a repair by number: those of the document, and what else a cable is plugged into.
class Ports {
 public:
  explicit Ports(const FabricSpec& spec) : spec_{spec} {}

  std::size_t number(const PortRef& port) {
    return number(port.str(), spot_of(spec_, port), port.node.str());
  }
  std::size_t number(const SeenPeer& peer) {
    if (peer.port) return number(*peer.port);
    // Nothing that has a name is called so.
    return number("?" + peer.text, {{}, {}, {}, peer.text}, "?" + peer.text);
  }
  const Spot& spot(std::size_t number) const { return spots_[number]; }
  const std::vector<std::size_t>& places() const { return places_; }

 private:
  std::size_t number(const std::string& key, Spot spot, const std::string& place) {
    const auto [known, added] = numbers_.emplace(key, spots_.size());
    if (!added) return known->second;
    spots_.push_back(std::move(spot));
    places_.push_back(places_of_.emplace(place, places_of_.size()).first->second);
    return known->second;
  }

  const FabricSpec& spec_;
  std::map<std::string, std::size_t> numbers_, places_of_;
  std::vector<Spot> spots_;
  std::vector<std::size_t> places_;
};

class OrderBook {
 public:
  OrderBook(const FabricSpec& spec, const Report& report)
      : spec_{spec}, report_{report}, ports_{spec} {
    for (const auto& [name, network] : spec.networks) {
      for (const CableSpec& cable : network.cables)
        cables_.emplace(std::pair{cable.a.value, cable.b.value}, &cable);
    }
  }

  std::vector<WorkOrder> write() && {
    read_wiring();
    repair();
    for (std::size_t index = 0; index < report_.cables.size(); ++index)
      look_at(index);
    std::ranges::stable_sort(
        orders_, [](const Placed& one, const Placed& other) { return one.place < other.place; });
    std::vector<WorkOrder> orders;
    for (Placed& each : orders_)
      orders.push_back(std::move(each.order));
    for (const UnexpectedCable& cable : report_.unexpected)
      orders.push_back(to_decide(cable));
    return orders;
  }

 private:
  struct Placed {
    std::size_t place = 0;  // index in the report
    WorkOrder order;
  };

  void read_wiring() {
    std::set<std::size_t> taken;
    std::set<PortRef> named;
    for (std::size_t index = 0; index < report_.cables.size(); ++index) {
      const CableReport& cable = report_.cables[index];
      const bool is_wanted = cable.state == CableState::mis_wired ||
                             cable.state == CableState::loopback ||
                             cable.state == CableState::missing;
      // A document with a port in two cables has errors, and is not verified.
      if (!is_wanted || !named.insert(cable.a).second || !named.insert(cable.b).second) continue;
      wiring_.wanted.push_back({ports_.number(cable.a), ports_.number(cable.b)});
      wanted_.push_back(index);
      for (const auto& [port, peer] : {std::pair{&cable.a, &cable.at_a}, {&cable.b, &cable.at_b}}) {
        if (!*peer) continue;
        const std::size_t here = ports_.number(*port);
        const std::size_t there = ports_.number(**peer);
        // Seen from its other end before, or two ends contradict each other: the first stands.
        if (taken.contains(here) || taken.contains(there) || here == there) continue;
        taken.insert({here, there});
        wiring_.plugged.push_back({here, there});
        plugged_.push_back(index);
      }
    }
    wiring_.place = ports_.places();
  }

  void repair() {
    const Repair repair = fewest_moves(wiring_);
    std::map<std::size_t, std::size_t> in_group;
    for (const Repair::Move& move : repair.moves)
      ++in_group[move.group];
    for (const auto* wholes : {&repair.added, &repair.removed}) {
      for (const Repair::Whole& whole : *wholes)
        ++in_group[whole.group];
    }
    // Cables that are pulled for good are out of the way first.
    for (const Repair::Whole& removed : repair.removed)
      put(removed.group, in_group, plugged_[removed.cable], to_unplug(removed.cable));
    std::set<std::size_t> begun;
    for (const Repair::Move& move : repair.moves) {
      const bool is_second = !begun.insert(move.wanted).second;
      put(move.group, in_group, wanted_[move.wanted], to_move(move, is_second));
    }
    for (const Repair::Whole& added : repair.added) {
      WorkOrder order = order_of(wanted_[added.cable], Task::connect);
      order.to = ports_.spot(wiring_.wanted[added.cable].a);
      order.other = ports_.spot(wiring_.wanted[added.cable].b);
      put(added.group, in_group, wanted_[added.cable], std::move(order));
    }
  }

  // The orders of a group stand together, where the first of them is.
  void put(
      std::size_t group,
      const std::map<std::size_t, std::size_t>& in_group,
      std::size_t place,
      WorkOrder order) {
    const auto first = groups_.emplace(group, std::pair{place, order.number}).first;
    if (in_group.at(group) > 1) order.together = first->second.second;
    orders_.push_back({first->second.first, std::move(order)});
  }

  WorkOrder to_move(const Repair::Move& move, bool is_second) const {
    const CableReport& seen = report_.cables[plugged_[move.plugged]];
    WorkOrder order = order_of(wanted_[move.wanted], Task::move);
    if (is_second) order.number += "/2";
    order.plug = ports_.spot(move.from);
    order.to = ports_.spot(move.to);
    order.other = ports_.spot(move.stays);
    order.proof = seen.proof;
    order.detail = seen.detail;
    return order;
  }

  WorkOrder to_unplug(std::size_t removed) const {
    const Wiring::Cable& cable = wiring_.plugged[removed];
    const CableReport& seen = report_.cables[plugged_[removed]];
    WorkOrder order;
    order.task = Task::unplug;
    order.plug = ports_.spot(cable.a);
    order.other = ports_.spot(cable.b);
    order.number = cable_number(text(order.plug), text(order.other));
    order.network = seen.network;
    order.proof = seen.proof;
    order.detail = seen.detail;
    return order;
  }

  void look_at(std::size_t index) {
    const CableReport& cable = report_.cables[index];
    if (cable.state != CableState::one_sided && cable.state != CableState::degraded) return;
    WorkOrder order =
        order_of(index, cable.state == CableState::degraded ? Task::replace : Task::check);
    order.plug = spot_of(spec_, cable.a);
    order.other = spot_of(spec_, cable.b);
    orders_.push_back({index, std::move(order)});
  }

  WorkOrder order_of(std::size_t index, Task task) const {
    const CableReport& cable = report_.cables[index];
    WorkOrder order;
    order.task = task;
    order.number = cable_number(cable.a.str(), cable.b.str());
    order.network = cable.network;
    order.proof = cable.proof;
    order.detail = cable.detail;
    const auto known = cables_.find({cable.a, cable.b});
    if (known == cables_.end()) return order;
    order.label = known->second->label;
    order.length = known->second->length;
    order.type = known->second->type;
    order.speed = known->second->speed;
    return order;
  }

  WorkOrder to_decide(const UnexpectedCable& cable) const {
    WorkOrder order;
    order.task = Task::decide;
    order.number = cable_number(cable.a, cable.b);
    order.plug = named(cable.a);
    order.other = named(cable.b);
    order.proof = Proof::subnet;
    order.detail = "the document has no such cable";
    return order;
  }

  // "pve1/cx5/1", or a port that the document does not have.
  Spot named(const std::string& text) const {
    const std::size_t slash = text.find('/');
    const NodeSpec* node = spec_.find_node(text.substr(0, slash));
    if (node == nullptr || slash == std::string::npos) return {{}, {}, {}, text};
    return spot_of(spec_, {node->name, "", text.substr(slash + 1)});
  }

  static std::string text(const Spot& spot) {
    return spot.node.empty() ? spot.port : spot.node + "/" + spot.port;
  }

  const FabricSpec& spec_;
  const Report& report_;
  Ports ports_;
  std::map<std::pair<PortRef, PortRef>, const CableSpec*> cables_;
  Wiring wiring_;
  std::vector<std::size_t> wanted_, plugged_;  // indexes of their cables in the report
  std::map<std::size_t, std::pair<std::size_t, std::string>>
      groups_;  // place and number of the first
  std::vector<Placed> orders_;
};

}  // namespace

Repair fewest_moves(const Wiring& wiring) {
  return Planner{wiring}.plan();
}

std::string_view to_string(Task task) {
  switch (task) {
    case Task::move:
      return "move";
    case Task::connect:
      return "connect";
    case Task::unplug:
      return "unplug";
    case Task::check:
      return "check";
    case Task::replace:
      return "replace";
    case Task::decide:
      return "decide";
    case Task::done:
      return "done";
  }
  return "check";
}

std::string cable_number(const std::string& a, const std::string& b) {
  // Crockford's digits: none looks like another one when it is read aloud or written by hand. 50
  // bits of them are not equal by chance among the cables of one fabric.
  constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  constexpr std::size_t kPrefix = std::string_view{"sha256:"}.size();
  const std::string ends = std::min(a, b) + "\n" + std::max(a, b);
  const std::string digest = sha256(std::string_view{ends});
  std::uint64_t bits = std::stoull(digest.substr(kPrefix, 15), nullptr, 16);
  std::string number;
  for (int digit = 0; digit < 10; ++digit) {
    if (digit == 5) number += '-';
    number += kDigits[bits % kDigits.size()];
    bits /= kDigits.size();
  }
  return number;
}

void add_done(std::vector<WorkOrder>& orders, const std::vector<std::string>& former) {
  std::set<std::string> open;
  for (const WorkOrder& order : orders)
    open.insert(order.number);
  for (const std::string& number : former) {
    // Also of a list that names it twice.
    if (!open.insert(number).second) continue;
    WorkOrder order;
    order.number = number;
    order.task = Task::done;
    orders.push_back(std::move(order));
  }
}

std::vector<WorkOrder> work_orders(const FabricSpec& spec, const Report& report) {
  return OrderBook{spec, report}.write();
}

}  // namespace fabric::verify
