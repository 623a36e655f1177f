// SPDX-License-Identifier: Apache-2.0
// Who reaches whom, against frames that are carried from plug to plug, each with its tag or key.
#include "engine/model/topology/isolation.hpp"

#include <algorithm>

#include "engine/base/random.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

NodeName named(const std::string& text) {
  return *NodeName::parse(text);
}

PartitionSpec partition(Random& random, const std::string& name, std::int64_t key) {
  PartitionSpec spec;
  spec.name = name;
  spec.pkey.value = key;
  for (int host = 0; host < 5; ++host) {
    if (random.chance(45))
      spec.members.push_back({"n" + std::to_string(host), {}, {random.chance(60), {}}});
  }
  return spec;
}

// Five hosts with ports in one to three networks over three switches.
FabricSpec drawn(Random& random) {
  FabricSpec spec;
  for (const char* name : {"s1", "s2", "s3"}) {
    NodeSpec node{named(name)};
    node.platform.value = Platform::unmanaged;
    spec.nodes.emplace(node.name, std::move(node));
  }
  for (int host = 0; host < 5; ++host) {
    NodeSpec node{named("n" + std::to_string(host))};
    if (random.chance(15)) node.sysctl["net.ipv4.ip_forward"] = {"1", {}};
    spec.nodes.emplace(node.name, std::move(node));
  }
  std::size_t port = 0;
  const bool is_infiniband = random.chance(40);
  for (const char* name : {"red", "blue", "green"}) {
    NetworkSpec network;
    network.name = name;
    network.mode.value = is_infiniband ? Mode::infiniband : Mode::ethernet;
    const std::string home = "s" + std::to_string(1 + random.below(3));
    for (int host = 0; host < 5; ++host) {
      if (random.chance(55)) continue;
      network.cables.push_back(
          {{{named("n" + std::to_string(host)), name, "1"}, {}},
           {{named(home), "", std::to_string(++port)}, {}},
           {},
           "",
           "",
           "",
           ""});
    }
    if (random.chance(25) && home != "s3")
      network.cables.push_back(
          {{{named(home), "", std::to_string(++port)}, {}},
           {{named("s3"), "", std::to_string(++port)}, {}},
           {},
           "",
           "",
           "",
           ""});
    if (is_infiniband) {
      if (random.chance(70)) network.partitions.push_back(partition(random, "p", 0x10));
      if (random.chance(70)) network.partitions.push_back(partition(random, "q", 0x8011));
      if (random.chance(40))
        network.subnet_managers.push_back(
            {{}, {"n" + std::to_string(random.below(5)), {}}, {}, {}});
    } else if (random.chance(70)) {
      VlanSpec vlan;
      vlan.name = "v";
      vlan.id.value = static_cast<std::uint32_t>(10 + random.below(2));
      network.vlans.push_back(std::move(vlan));
    }
    spec.networks.emplace(name, std::move(network));
  }
  return spec;
}

// A port of a host with a tag or key; `full` is for keys.
struct Spot {
  PortRef port;
  std::string network;
  std::int64_t tag = 0;
  bool full = true;
  std::string part{};  // the VLAN or partition by its name
  friend auto operator<=>(const Spot&, const Spot&) = default;
};

std::vector<Spot> spots_of(const FabricSpec& spec) {
  std::vector<Spot> spots;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      const PortRef& port = cable.a.value;
      if (port.adapter.empty()) continue;
      if (network.mode.value == Mode::ethernet) {
        spots.push_back({port, name});
        for (const VlanSpec& vlan : network.vlans)
          spots.push_back({port, name, vlan.id.value, true, vlan.name});
        continue;
      }
      for (const PartitionSpec& partition : network.partitions) {
        for (const PartitionMember& member : partition.members) {
          if (member.who == port.node.str())
            spots.push_back(
                {port, name, partition.pkey.value & 0x7fff, member.full.value, partition.name});
        }
      }
      const bool manages = std::any_of(
          network.subnet_managers.begin(), network.subnet_managers.end(), [&](const auto& each) {
            return each.node.value == port.node.str();
          });
      spots.push_back({port, name, 0x7fff, network.partitions.empty() || manages});
    }
  }
  return spots;
}

// Switches that a frame gets to from one, cable by cable.
std::set<NodeName> switches_from(const FabricSpec& spec, const NodeName& first) {
  std::set<NodeName> seen{first};
  for (std::size_t before = 0; before != seen.size();) {
    before = seen.size();
    for (const auto& [name, network] : spec.networks) {
      for (const CableSpec& cable : network.cables) {
        if (!cable.a.value.adapter.empty()) continue;
        if (seen.contains(cable.a.value.node)) seen.insert(cable.b.value.node);
        if (seen.contains(cable.b.value.node)) seen.insert(cable.a.value.node);
      }
    }
  }
  return seen;
}

NodeName switch_of(const FabricSpec& spec, const PortRef& port) {
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      if (cable.a.value == port) return cable.b.value.node;
    }
  }
  FAIL("a port without a cable");
  return port.node;
}

bool is_of(const Spot& spot, const IsolatedSide& side) {
  if (side.network.empty())
    return std::count(side.nodes.begin(), side.nodes.end(), spot.port.node) != 0;
  const std::string& part = side.vlan.empty() ? side.partition : side.vlan;
  return spot.network == side.network && (part.empty() || spot.part == part);
}

bool do_meet(const FabricSpec& spec, const IsolatedPair& pair) {
  const std::vector<Spot> spots = spots_of(spec);
  std::set<Spot> sending, heard;
  for (const Spot& spot : spots) {
    if (is_of(spot, pair.a)) sending.insert(spot);
  }
  heard = sending;
  for (std::size_t before = 0; before != sending.size() + heard.size();) {
    before = sending.size() + heard.size();
    for (const Spot& from : std::set<Spot>{sending}) {
      const std::set<NodeName> switches = switches_from(spec, switch_of(spec, from.port));
      for (const Spot& to : spots) {
        if (to.tag == from.tag && (to.full || from.full) &&
            switches.contains(switch_of(spec, to.port)))
          heard.insert(to);
      }
    }
    for (const Spot& spot : std::set<Spot>{heard}) {
      if (!Isolation::forwards(spec, spec.nodes.at(spot.port.node))) continue;
      for (const Spot& other : spots) {
        if (other.port.node == spot.port.node) sending.insert(other);
      }
    }
    heard.insert(sending.begin(), sending.end());
  }
  return std::any_of(
      heard.begin(), heard.end(), [&](const Spot& spot) { return is_of(spot, pair.b); });
}

IsolatedSide side(Random& random, const FabricSpec& spec, int first, int last) {
  IsolatedSide side;
  if (random.chance(50)) {
    for (int host = first; host <= last; ++host)
      side.nodes.push_back(named("n" + std::to_string(host)));
    return side;
  }
  const char* const names[] = {"red", "blue", "green"};
  side.network = names[random.below(3)];
  const NetworkSpec& network = spec.networks.at(side.network);
  if (random.chance(50) && !network.vlans.empty()) side.vlan = "v";
  if (random.chance(50) && !network.partitions.empty())
    side.partition = network.partitions.front().name;
  return side;
}

TEST_CASE("two sides meet where frames get from one to the other, and nowhere else", "[model]") {
  std::size_t met = 0, apart = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random{seed};
    const FabricSpec spec = drawn(random);
    const Isolation isolation{spec};
    for (int i = 0; i < 6; ++i) {
      CAPTURE(seed, i);
      const IsolatedPair pair{side(random, spec, 0, 1), side(random, spec, 2, 4)};
      const bool expected = do_meet(spec, pair);
      CHECK(isolation.meeting(pair).has_value() == expected);
      ++(expected ? met : apart);
    }
  }
  CHECK(met > 300);
  CHECK(apart > 300);
}

}  // namespace
}  // namespace fabric
