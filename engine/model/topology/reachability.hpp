// SPDX-License-Identifier: Apache-2.0
// Reachability: which addresses of two hosts reach each other over cables, switches and cards that
// chain, while something is away. Pure: from the settings of the hosts, by the rules of Linux
// (IPv4) and of a card with host chaining (E-chain-dmac). Request and answer both count: each takes
// the way of its own host's routes.
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

// A port of a host, with the effective settings of its interface: of `all` and its own value the
// one that the kernel uses.
struct Port {
  PortRef name;
  std::vector<Address> addresses;
  bool up = true;  // frames for others pass a chaining card even if down
  std::uint32_t arp_ignore = 0, rp_filter = 0;
  bool ignores_linkdown = false;
};

struct Route {
  Subnet to;
  std::size_t port = 0;     // index in Host::ports
  std::uint32_t table = 0;  // 0 = main
  std::uint32_t metric = 0;
};

// A rule that packets with this source use the table before the main one.
struct SourceRule {
  IpAddress from;
  std::uint32_t table = 0;
};

struct Host {
  NodeName node;
  std::vector<Port> ports;
  std::vector<Route> routes;  // in the kernel's order: the first of equal ones counts
  std::vector<SourceRule> rules{};
  // By adapter: true if its card forwards frames of other hosts between its two ports. Nullopt:
  // unknown. A card without an entry does not.
  std::map<std::string, std::optional<bool>> chaining{};
};

// One network as it is set up.
struct Fabric {
  std::vector<Host> hosts;
  std::vector<std::pair<PortRef, PortRef>> cables;
  std::set<NodeName> switches;  // nodes that join all their ports
  // True if a broadcast that a card passes on is also given to the function of the port that it
  // leaves by. No document of the vendor says so (E-chain-broadcast).
  bool broadcast_to_both = true;
};

struct Away {
  std::set<NodeName> nodes{};    // off, or still booting
  std::set<NodeName> unknown{};  // could not be asked: up or away
  std::set<PortRef> closed{};    // interfaces that are down; the card still passes frames on
  std::set<PortRef> dark{};  // ends without a link: the other end of the cable keeps its carrier
  // Ends that have a link though the node at the other end is away: its card is held up by standby
  // power, or something else is plugged in there.
  std::set<PortRef> lit{};
};

// The binding of a program: to a source address, or to the port as well (`ping -I PORT`).
enum class Bound : std::uint8_t { address, port };

enum class State : std::uint8_t { kept, lost, unknown };

enum class Cause : std::uint8_t {
  none,
  no_route,     // the host of `at` (any of its ports) has no live route
  no_carrier,   // the route leaves by `at`, which has no link
  node_away,    // frames end before `at`, whose node is away
  no_link,      // frames end at `at`, whose link is gone
  not_chained,  // frames end at `at`, whose card does not pass them on
  no_answer,    // no host answers ARP for `at`
  filtered,     // rp_filter of `at` drops them
  elsewhere,    // the answer comes back by `at`, not by the asking port
};

struct Verdict {
  State state = State::kept;
  Cause cause = Cause::none;
  std::optional<PortRef> by{};  // the port that the frames leave by
  std::optional<PortRef> at{};  // the port where they end
  bool answer = false;          // the answer is lost, not the request
  friend bool operator==(const Verdict&, const Verdict&) = default;
};
// "the answer leaves by pve2/cx5/1 and ends before pve4, which is away"; "" if it is kept.
std::string why(const Verdict& verdict);

// An address of each of two hosts, in one subnet.
struct AddressPair {
  PortRef a, b;  // a < b, ports of two hosts
  IpAddress of_a, of_b;
};
// In order.
std::vector<AddressPair> address_pairs(const Fabric& fabric);
// The number of address_pairs(), in time that grows with the addresses and not with the pairs.
std::size_t address_pair_count(const Fabric& fabric);

class Reachability {
 public:
  // REQUIRES: `fabric` outlives this.
  Reachability(const Fabric& fabric, const Away& away);
  ~Reachability();
  Reachability(const Reachability&) = delete;
  Reachability& operator=(const Reachability&) = delete;

  // The verdict from `a` to `b`; bound to addresses, the reverse has the same. `unknown` if an
  // unknown value decides it.
  Verdict between(const AddressPair& pair, Bound bound = Bound::address) const;
  Verdict between(
      const PortRef& from,
      const IpAddress& source,
      const PortRef& to,
      const IpAddress& target,
      Bound bound = Bound::address) const;

 private:
  class World;
  std::unique_ptr<World> best_, worst_;  // null if nothing is unknown
};

}  // namespace fabric::reach
