// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"
#include "plans/impact.hpp"

namespace fabric::plans {

namespace {

constexpr const char* kPartitions = "partitions";
constexpr std::string_view kEverybody = "ALL";
constexpr std::string_view kSelf = "SELF";
constexpr std::size_t kPairsNamed = 10;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();

// The members of a partition, each full or not.
struct Partition {
  std::string name;
  std::map<std::string, bool> members;  // "n1/cx5/1"
};
using Partitions = std::map<std::int64_t, Partition>;  // by P_Key

// "ib" of "ib.cx5.1"; a manager on a switch is named as its network.
std::string network_of(const Resource& manager) {
  if (const Value* bound = manager.bound(keys::kNetwork)) return to_text(*bound);
  const std::string& name = manager.address.name;
  const std::size_t port = name.rfind('.');
  return port == std::string::npos || port == 0 ? name : name.substr(0, name.rfind('.', port - 1));
}

// The port of a manager: "m1/hca/1" for "ib.hca.1" on m1; "" for a manager on a switch.
std::string self_of(const Resource& manager) {
  const std::string network = network_of(manager);
  const std::string& name = manager.address.name;
  if (name.size() <= network.size()) return {};
  std::string port = name.substr(network.size());
  std::replace(port.begin(), port.end(), '.', '/');
  return manager.address.node.str() + port;
}

const AttributeChange* change_of(const Change& change, std::string_view attribute) {
  for (const AttributeChange& each : change.attributes)
    if (each.attribute == attribute) return &each;
  return nullptr;
}

class Traffic {
 public:
  Traffic(const FabricSpec& spec, const discovery::Snapshot& snapshot)
      : spec_{spec}, snapshot_{snapshot} {}

  // The members of each partition of this manager. Of two entries for one port, the later counts.
  Partitions members_of(const Value& partitions, const Resource& manager, const Map* known) {
    const std::string network = network_of(manager);
    const std::string self = self_of(manager);
    Partitions found;
    for (const Value& each : partitions.items()) {
      const Value* pkey = each.find("pkey");
      const Value* members = each.find("members");
      if (pkey == nullptr || pkey->as_integer() == nullptr) continue;
      Partition& partition = found[*pkey->as_integer()];
      if (partition.name.empty()) partition.name = each.string_or_empty("name");
      if (members == nullptr || members->as_list() == nullptr) continue;
      for (const Value& member : *members->as_list()) {
        const std::string who = member.string_or_empty("who");
        const Value* full = member.find("full");
        const bool is_full = full != nullptr && *full == Value{true};
        if (who == kSelf) {
          if (!self.empty()) partition.members[self] = is_full;
        } else if (who == kEverybody) {
          for (const std::string& port : ports_of(network))
            partition.members[port] = is_full;
        } else if (
            who.find('/') != std::string::npos && (known == nullptr || known->contains(who))) {
          partition.members[who] = is_full;
        }
      }
    }
    return found;
  }

  const Value* handed_out(const ResourceAddress& manager) const {
    const Observation* observation = snapshot_.find(manager);
    if (observation == nullptr) return nullptr;
    const auto found = observation->attributes.find(keys::kHandedOut);
    if (found == observation->attributes.end() || !found->second.running) return nullptr;
    return found->second.running->value();
  }

  bool is_master(const ResourceAddress& manager) const {
    const Observation* observation = snapshot_.find(manager);
    if (observation == nullptr) return false;
    const auto found = observation->attributes.find("state");
    return found != observation->attributes.end() && found->second.running &&
           found->second.running->equals("master");
  }

 private:
  const std::set<std::string>& ports_of(const std::string& network) {
    const auto [entry, is_new] = ports_.try_emplace(network);
    const auto found = spec_.networks.find(network);
    if (!is_new || found == spec_.networks.end()) return entry->second;
    for (const PortRef& port : found->second.member_ports())
      if (!port.adapter.empty()) entry->second.insert(port.str());
    return entry->second;
  }

  const FabricSpec& spec_;
  const discovery::Snapshot& snapshot_;
  std::map<std::string, std::set<std::string>> ports_;
};

// Adds, for each partition, the nodes with a port that is in `of` and not in `in`, or only a
// limited member there.
void add_moved(const Partition& of, const Partition& in, std::vector<MembersMoved>& moved) {
  std::set<NodeName> nodes;
  for (const auto& [port, full] : of.members) {
    const auto other = in.members.find(port);
    if (other != in.members.end() && (other->second || !full)) continue;
    const auto node = NodeName::parse(port.substr(0, port.find('/')));
    if (node) nodes.insert(*node);
  }
  if (!nodes.empty())
    moved.push_back({of.name.empty() ? in.name : of.name, {nodes.begin(), nodes.end()}});
}

enum class Membership : std::uint8_t { none, limited, full };

// The memberships of one node, by P_Key.
using Memberships = std::map<std::int64_t, Membership>;

// Two limited members of a partition do not reach each other.
bool reach(const Memberships& one, const Memberships& other) {
  return std::ranges::any_of(one, [&](const auto& entry) {
    const auto found = other.find(entry.first);
    return found != other.end() &&
           (entry.second == Membership::full || found->second == Membership::full);
  });
}

std::map<NodeName, Memberships> memberships(const Partitions& partitions) {
  std::map<NodeName, Memberships> of_node;
  for (const auto& [pkey, partition] : partitions) {
    for (const auto& [port, full] : partition.members) {
      const auto node = NodeName::parse(port.substr(0, port.find('/')));
      if (!node) continue;
      Membership& membership = of_node[*node][pkey];
      membership = std::max(membership, full ? Membership::full : Membership::limited);
    }
  }
  return of_node;
}

// The pairs of nodes that share a partition now and will share none. Nodes with equal memberships
// are compared once.
PathsLostInWave pairs_cut(const Partitions& now, const Partitions& then) {
  using Group = std::pair<Memberships, Memberships>;
  std::map<Group, std::vector<NodeName>> groups;
  const std::map<NodeName, Memberships> later = memberships(then);
  for (const auto& [node, memberships_now] : memberships(now)) {
    const auto found = later.find(node);
    groups[{memberships_now, found == later.end() ? Memberships{} : found->second}].push_back(node);
  }
  std::uint64_t working = 0;
  std::uint64_t lost = 0;
  PathsLostInWave cut;
  for (auto one = groups.begin(); one != groups.end(); ++one) {
    for (auto other = one; other != groups.end(); ++other) {
      if (!reach(one->first.first, other->first.first)) continue;
      const std::uint64_t size = one->second.size();
      const std::uint64_t pairs =
          one == other ? size * (size - 1) / 2 : size * other->second.size();
      working += pairs;
      if (pairs == 0 || reach(one->first.second, other->first.second)) continue;
      lost += pairs;
      if (cut.apart.size() < kPairsNamed)
        cut.apart.emplace_back(std::minmax(one->second.front(), other->second.back()));
    }
  }
  cut.working = cut.host_pairs = static_cast<std::uint32_t>(std::min(working, kMost));
  cut.lost = static_cast<std::uint32_t>(std::min(lost, kMost));
  return cut;
}

// The wave in which the manager gets its partitions.
std::uint32_t wave_of(const std::vector<Action>& actions, const ResourceAddress& manager) {
  std::uint32_t wave = 1;
  for (const Action& action : actions) {
    const auto& covers = action.covers;
    if (std::ranges::find(covers, manager) != covers.end()) wave = std::max(wave, action.wave);
  }
  return wave;
}

void add_name(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

void tell_subnet_traffic(
    const Candidates& candidates,
    const ResourceIndex& resources,
    const discovery::Snapshot& snapshot,
    const FabricSpec& spec,
    Plan& plan) {
  Impact& impact = plan.impact;
  Traffic traffic{spec, snapshot};
  std::map<std::string, std::vector<const Candidate*>> changed;
  std::map<std::string, std::uint32_t> staying;
  std::set<ResourceAddress> leaving;
  for (const Candidate& candidate : candidates) {
    if (candidate.address().kind != kinds::kSubnetManager || !candidate.planned()) continue;
    const std::string network = network_of(candidate.change.resource);
    changed[network].push_back(&candidate);
    if (candidate.change.kind == ChangeKind::remove) leaving.insert(candidate.address());
    for (const char* attribute : {"routing_engine", "roots", "io"}) {
      const AttributeChange* routes = change_of(candidate.change, attribute);
      const bool runs = routes != nullptr && routes->activate &&
                        traffic.handed_out(candidate.address()) != nullptr;
      if (runs && candidate.change.kind != ChangeKind::remove)
        add_name(impact.tables_rewritten, network);
    }
  }
  for (std::size_t index = 0; index < resources.size(); ++index) {
    const Resource& resource = resources.at(index);
    if (resource.address.kind == kinds::kSubnetManager && !leaving.contains(resource.address))
      ++staying[network_of(resource)];
  }
  for (const auto& [network, managers] : changed) {
    const bool all_leave = std::ranges::all_of(
        managers, [](const Candidate* each) { return each->change.kind == ChangeKind::remove; });
    if (all_leave && staying[network] == 0) impact.without_manager.push_back(network);
    // The manager whose partitions change: the master if it is one of them.
    const Candidate* told = nullptr;
    for (const Candidate* each : managers) {
      const bool tells = change_of(each->change, kPartitions) != nullptr &&
                         each->change.kind != ChangeKind::remove &&
                         traffic.handed_out(each->address()) != nullptr;
      if (tells && (told == nullptr || traffic.is_master(each->address()))) told = each;
    }
    if (told == nullptr) continue;
    const Resource& resource = told->change.resource;
    const Value* guids = resource.bound(keys::kPortGuids);
    const Map* known = guids == nullptr ? nullptr : guids->as_map();
    Partitions now = traffic.members_of(*traffic.handed_out(told->address()), resource, nullptr);
    Partitions then = traffic.members_of(resource.desired.at(kPartitions).value, resource, known);
    for (auto& [pkey, partition] : now) {
      Partition& later = then[pkey];
      if (later.name.empty())
        later.name = partition.name.empty() ? fmt::format("0x{:04x}", pkey) : partition.name;
      partition.name = later.name;
      add_moved(partition, later, impact.members_cut);
    }
    for (const auto& [pkey, partition] : then)
      add_moved(partition, now[pkey], impact.members_joined);
    PathsLostInWave cut = pairs_cut(now, then);
    if (cut.lost == 0) continue;
    cut.wave = wave_of(plan.actions, told->address());
    cut.network = network;
    impact.paths_lost.push_back(std::move(cut));
  }
}

}  // namespace fabric::plans
