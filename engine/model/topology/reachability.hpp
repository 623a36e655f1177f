// SPDX-License-Identifier: Apache-2.0
// Reachability: which addresses of two hosts reach each other over cables, switches and cards that
// chain, while something is away. Pure: by what the hosts have set, as Linux decides (IPv4), and by
// what a card with host chaining does with a frame (E-chain-dmac). Request and answer both
// count: each takes the way that its own host's routes say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/address.hpp"
#include "engine/model/names.hpp"

namespace fabric::reach {

struct Address {
  IpAddress address;
  Subnet subnet;
};

// A port of a host, with what counts for its interface: of `all` and its own value the one that the
// kernel takes.
struct Port {
  PortRef name;
  std::vector<Address> addresses;
  bool up = true;  // of a card that chains, frames for others pass without it
  std::uint32_t arp_ignore = 0, rp_filter = 0;
  bool ignores_linkdown = false;
};

struct Route {
  Subnet to;
  std::size_t port = 0;     // of Host::ports
  std::uint32_t table = 0;  // 0 = main
  std::uint32_t metric = 0;
};

// Packets with this source look into the table before the main one.
struct SourceRule {
  IpAddress from;
  std::uint32_t table = 0;
};

struct Host {
  NodeName node;
  std::vector<Port> ports;
  std::vector<Route> routes;  // in the kernel's order: of equal ones the first counts
  std::vector<SourceRule> rules{};
  // By adapter: whether its card forwards frames of other hosts between its two ports. Nullopt:
  // unknown. A card that is not here does not.
  std::map<std::string, std::optional<bool>> chaining{};
};

// One network.
struct Fabric {
  std::vector<Host> hosts;
  std::vector<std::pair<PortRef, PortRef>> cables;
  std::set<NodeName> switches;  // join all their ports
  // Whether a broadcast that a card passes on is also given to the function of the port that it
  // leaves by. No document of the vendor says so (E-chain-broadcast).
  bool broadcast_to_both = true;
};

struct Away {
  std::set<NodeName> nodes{};    // off, or not through their boot
  std::set<NodeName> unknown{};  // it could not be asked: there or away
  std::set<PortRef> closed{};    // interfaces that are down; the card still passes frames on
  std::set<PortRef> dark{};  // ends without a link: the other end of the cable keeps its carrier
  // Ends that have a link though the node at the other end is away: its card is held up by standby
  // power, or something else is plugged in there.
  std::set<PortRef> lit{};
};

// What a program binds to: the address that its packets have, or the port as well (`ping -I PORT`).
enum class Bound : std::uint8_t { address, port };

enum class State : std::uint8_t { kept, lost, unknown };

enum class Cause : std::uint8_t {
  none,
  no_route,     // `at` has none that is alive (its port is any of the host)
  no_carrier,   // the route goes by `at`, which has no link
  node_away,    // frames end before `at`, whose node is away
  no_link,      // frames end at `at`, whose link is gone
  not_chained,  // frames end at `at`, whose card does not pass them on
  no_answer,    // no host answers ARP for `at`
  filtered,     // rp_filter of `at` drops them
  elsewhere,    // the answer comes back by `at`, and not by the port that asked
};

struct Verdict {
  State state = State::kept;
  Cause cause = Cause::none;
  std::optional<PortRef> by{};  // the port that the frames leave by
  std::optional<PortRef> at{};  // where they end
  bool answer = false;          // it is the answer that is lost
  friend bool operator==(const Verdict&, const Verdict&) = default;
};
// "the answer leaves by pve2/cx5/1 and ends before pve4, which is away"; "" if it is kept.
std::string why(const Verdict& verdict);

// One of the addresses of each of two hosts, in one subnet.
struct AddressPair {
  PortRef a, b;  // a < b, of two hosts
  IpAddress of_a, of_b;
};
// In order.
std::vector<AddressPair> address_pairs(const Fabric& fabric);
// How many these are, in time that grows with the addresses and not with the pairs.
std::size_t address_pair_count(const Fabric& fabric);

class Reachability {
 public:
  // REQUIRES: `fabric` outlives this.
  Reachability(const Fabric& fabric, const Away& away);
  ~Reachability();
  Reachability(const Reachability&) = delete;
  Reachability& operator=(const Reachability&) = delete;

  // From `a` to `b`; bound to addresses the other way is the same. `unknown` where an unknown would
  // decide it.
  Verdict between(const AddressPair& pair, Bound bound = Bound::address) const;
  Verdict between(
      const PortRef& from,
      const IpAddress& source,
      const PortRef& to,
      const IpAddress& target,
      Bound bound = Bound::address) const;

 private:
  class World;
  std::unique_ptr<World> best_, worst_;  // null: everything is known
};

}  // namespace fabric::reach
