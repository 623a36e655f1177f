// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "engine/model/resource_keys.hpp"
#include "engine/model/topology/broadcast_domains.hpp"
#include "plans/edges.hpp"

namespace fabric::plans {

namespace {

enum class Turn : std::uint8_t { none, grows, shrinks };

// The MTU that runs there is larger than the wanted one, or smaller, or none runs.
Turn turn_of(const Change& change) {
  Turn turn = Turn::none;
  for (const AttributeChange& each : change.attributes) {
    const bool is_mtu = each.attribute == "mtu" || each.attribute == "vmkernel_mtu";
    const std::int64_t* wanted = each.desired.as_integer();
    if (!is_mtu || wanted == nullptr || !each.activate) continue;
    const Value* running = each.observed.running ? each.observed.running->value() : nullptr;
    const std::int64_t* now = running == nullptr ? nullptr : running->as_integer();
    if (now != nullptr && *now > *wanted) return Turn::shrinks;
    turn = Turn::grows;
  }
  return turn;
}

// The resource carries frames now. One that comes up with the plan is ordered by the resources
// themselves.
bool runs(const Change& change) {
  return std::ranges::any_of(change.attributes, [](const auto& each) {
    return each.attribute == "mtu" && each.observed.running && each.observed.running->is_known();
  });
}

bool changes(const Change& change, std::string_view attribute) {
  return std::ranges::any_of(
      change.attributes, [&](const auto& each) { return each.attribute == attribute; });
}

// The resources that a frame of one network can meet on its way between two hosts.
struct Domain {
  std::map<NodeName, std::vector<const Change*>> carriers;  // by switch, in order of address
  std::map<NodeName, std::vector<const Change*>> carried;   // by host
};

// The first switch of those that forward to each other, and the network.
using Domains = std::map<std::pair<NodeName, std::string>, Domain>;

class CarrierOrder {
 public:
  CarrierOrder(const FabricSpec& spec, const std::vector<Change>& changes)
      : spec_{spec}, changes_{changes} {}

  Order run() && {
    find_cables();
    for (const Change& change : changes_) {
      if (only_observed(change.resource)) continue;
      add_ethernet(change);
      add_infiniband(change);
    }
    for (const auto& [key, domain] : domains_)
      connect(domain);
    for (const auto& [key, carried] : ipoib_)
      connect_ipoib(key.second, carried);
    leave_managers_last();
    return std::move(order_);
  }

 private:
  void find_cables() {
    joined_ = joined_switches(spec_);
    for (const auto& [name, network] : spec_.networks) {
      if (network.mode.value == Mode::infiniband) continue;
      for (const CableSpec& cable : network.cables) {
        for (const auto& [mine, other] :
             {std::pair{&cable.a.value, &cable.b.value},
              std::pair{&cable.b.value, &cable.a.value}}) {
          const auto at = joined_.find(other->node);
          if (at == joined_.end()) continue;
          if (!mine->adapter.empty()) {
            behind_[{mine->node, name}].insert(at->second);
            hosted_[at->second].insert(name);
          }
        }
      }
    }
  }

  bool is_infiniband(const std::string& network) const {
    const auto found = spec_.networks.find(network);
    return found != spec_.networks.end() && found->second.mode.value == Mode::infiniband;
  }

  // Where no host of a network is at these switches, the network joins them for the other networks.
  std::vector<std::string> carried_by(const Resource& resource, const NodeName& first) const {
    const auto found = hosted_.find(first);
    const std::string own = resource.bound_text(keys::kNetwork);
    if (found == hosted_.end() || is_infiniband(own)) return {};
    if (found->second.contains(own)) return {own};
    return {found->second.begin(), found->second.end()};
  }

  // The interfaces of the virtual switch, or the one that the resource belongs to.
  std::vector<std::string> networks_of(const Resource& resource) const {
    if (resource.address.kind != kinds::kVswitch) return {resource.bound_text(keys::kNetwork)};
    std::vector<std::string> networks;
    for (const auto& [name, network] : spec_.networks) {
      if (network.vswitch.value == resource.address.name.str()) networks.push_back(name);
    }
    return networks;
  }

  void add_ethernet(const Change& change) {
    const Resource& resource = change.resource;
    if (const auto at = joined_.find(resource.address.node); at != joined_.end()) {
      if (!changes(change, "mtu")) return;
      for (const std::string& network : carried_by(resource, at->second))
        domains_[{at->second, network}].carriers[resource.address.node].push_back(&change);
      return;
    }
    if (turn_of(change) == Turn::none) return;
    for (const std::string& network : networks_of(resource)) {
      const auto behind = behind_.find({resource.address.node, network});
      if (behind == behind_.end()) continue;
      for (const NodeName& first : behind->second)
        domains_[{first, network}].carried[resource.address.node].push_back(&change);
    }
  }

  void add_infiniband(const Change& change) {
    const Resource& resource = change.resource;
    const std::string network = resource.bound_text(keys::kNetwork);
    if (resource.address.kind == kinds::kSubnetManager) {
      // A group that a manager does not hand out yet can't be too small.
      if (changes(change, "partitions") && !change.activates("manages"))
        managers_[network].push_back(&change);
      return;
    }
    if (is_infiniband(network) && runs(change) && !joined_.contains(resource.address.node) &&
        turn_of(change) != Turn::none)
      ipoib_[{resource.address.node, network}].push_back(&change);
  }

  static bool shrinks(const std::vector<const Change*>& carried) {
    return std::ranges::any_of(
        carried, [](const Change* each) { return turn_of(*each) == Turn::shrinks; });
  }

  void before(const Change& first, const Change& then) {
    if (&first != &then) order_.edges.emplace(first.resource.address, then.resource.address);
  }

  // `carrier` comes later in this plan, although `carried` stands after it.
  void turn_round(const Change& carrier, const Change& carried) {
    const auto& after = carried.resource.after;
    if (std::find(after.begin(), after.end(), carrier.resource.address) != after.end())
      order_.dropped.emplace(carrier.resource.address, carried.resource.address);
  }

  // One resource of each switch is connected for the whole switch: otherwise a large fabric would
  // have an edge for every two ports.
  void connect(const Domain& domain) {
    for (const auto& [host, carried] : domain.carried) {
      const bool is_last = !shrinks(carried);
      for (const auto& [node, carriers] : domain.carriers) {
        for (const Change* each : carried) {
          if (is_last) {
            before(*carriers.back(), *each);
          } else {
            before(*each, *carriers.front());
            for (const Change* carrier : carriers)
              turn_round(*carrier, *each);
          }
        }
        for (const Change* carrier : carriers) {
          if (is_last) {
            before(*carrier, *carriers.back());
          } else {
            before(*carriers.front(), *carrier);
          }
        }
      }
    }
  }

  // The managers of the subnet that the interfaces are in: managers that the interfaces wait for,
  // and managers that wait for one of the interfaces.
  std::vector<const Change*> managers_over(
      const std::string& network, const std::vector<const Change*>& carried) const {
    const auto found = managers_.find(network);
    if (found == managers_.end()) return {};
    std::set<ResourceAddress> known;
    for (const Change* each : carried) {
      for (const ResourceAddress& address : each->resource.after)
        if (address.kind == kinds::kSubnetManager) known.insert(address);
    }
    std::vector<const Change*> managers;
    for (const Change* manager : found->second) {
      const auto& after = manager->resource.after;
      const bool is_over =
          known.contains(manager->resource.address) ||
          std::ranges::any_of(after, [&](const auto& each) { return known.contains(each); });
      if (is_over) managers.push_back(manager);
    }
    return managers;
  }

  void connect_ipoib(const std::string& network, const std::vector<const Change*>& carried) {
    const bool is_last = !shrinks(carried);
    for (const Change* manager : managers_over(network, carried)) {
      for (const Change* each : carried) {
        if (is_last) {
          before(*manager, *each);
        } else {
          before(*each, *manager);
          turn_round(*manager, *each);
        }
      }
    }
  }

  void leave_managers_last() {
    std::vector<const Change*> leaving, interfaces;
    for (const Change& change : changes_) {
      if (change.kind != ChangeKind::remove || only_observed(change.resource)) continue;
      const std::string_view kind = change.resource.address.kind;
      if (kind == kinds::kSubnetManager) leaving.push_back(&change);
      const bool is_ipoib =
          kind == kinds::kIpoib ||
          (kind == kinds::kInterface && change.resource.bound_text(keys::kLinkType) != "ethernet");
      if (is_ipoib) interfaces.push_back(&change);
    }
    for (const Change* manager : leaving) {
      for (const Change* interface : interfaces)
        before(*interface, *manager);
    }
  }

  const FabricSpec& spec_;
  const std::vector<Change>& changes_;
  std::map<NodeName, NodeName> joined_;
  std::map<std::pair<NodeName, std::string>, std::set<NodeName>> behind_;  // host, network
  std::map<NodeName, std::set<std::string>> hosted_;
  Domains domains_;
  std::map<std::string, std::vector<const Change*>> managers_;  // by network
  std::map<std::pair<NodeName, std::string>, std::vector<const Change*>> ipoib_;
  Order order_;
};

}  // namespace

Order carrier_order(const FabricSpec& spec, const std::vector<Change>& changes) {
  return CarrierOrder{spec, changes}.run();
}

}  // namespace fabric::plans
