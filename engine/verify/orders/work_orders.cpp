// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/orders/work_orders.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/value/digest.hpp"
#include "engine/verify/orders/repair.hpp"

namespace fabric::verify {

namespace {

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
    std::stable_sort(orders_.begin(), orders_.end(), [](const Placed& one, const Placed& other) {
      return one.place < other.place;
    });
    std::vector<WorkOrder> orders;
    for (Placed& each : orders_)
      orders.push_back(std::move(each.order));
    for (const UnexpectedCable& cable : report_.unexpected)
      orders.push_back(to_decide(cable));
    return orders;
  }

 private:
  struct Placed {
    std::size_t place = 0;  // in the report
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
    // What is pulled for good is out of the way first.
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

  // "pve1/cx5/1", or what is none of the document's.
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
  std::vector<std::size_t> wanted_, plugged_;  // indexes of the report that tell of each
  std::map<std::size_t, std::pair<std::size_t, std::string>>
      groups_;  // place and number of the first
  std::vector<Placed> orders_;
};

}  // namespace

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
