// SPDX-License-Identifier: Apache-2.0
// Transit: by which ports the hosts of a network forward packets to each other's loopbacks, in
// rings, chains and meshes without a switch.
//
// Routes by destination alone do not survive a cut in a ring: the host at the cut turns a packet
// round, and its neighbour sends the packet back, since the way over the cut was the shorter one.
// So a host has one table for its own packets and one for packets that come in by each port. The
// table of a port leaves out the cables whose loss alone would bring a packet for that host in by
// that port (failure inferencing: S. Nelakuditi and others, "Fast local rerouting for handling
// transient link failures", IEEE/ACM Transactions on Networking 15, 2007).
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric {

// A route of a host, for packets that come in by `in` (none: its own packets) and are for `to`.
// Routes of one `in` and `to` count in order of rank; a route whose port has no carrier is passed
// over.
struct TransitRoute {
  std::optional<PortRef> in;
  NodeName to;
  std::size_t rank = 0;
  PortRef out;
  PortRef next;       // the other end of the cable at `out`
  bool best = false;  // no other way is shorter; several may be
  friend auto operator<=>(const TransitRoute&, const TransitRoute&) = default;
};

class TransitGraph {
 public:
  // Uses the cables between two hosts. REQUIRES: `network` outlives this object.
  explicit TransitGraph(const NetworkSpec& network);

  const std::vector<NodeName>& nodes() const { return nodes_; }  // in order
  // The routes in order of `in`, `to`, rank. Empty for a node that no cable reaches.
  std::vector<TransitRoute> routes(const NodeName& node) const;
  // The first two nodes that no cables join; nullopt if all are joined.
  std::optional<std::pair<NodeName, NodeName>> apart() const;
  // The number of cables of the shortest way between the two farthest nodes.
  std::size_t diameter() const;
  // Pairs of nodes, in order, of which one does not reach the other by these routes when the given
  // cable ends and nodes are out; these nodes are in no pair.
  std::vector<std::pair<NodeName, NodeName>> lost_without(
      const std::set<PortRef>& ends, const std::set<NodeName>& nodes) const;
  // The first cable, or else node, whose loss stops two nodes that others still join from reaching
  // each other by these routes, with the two. A ring, a chain and a full mesh have none.
  struct Unprotected {
    const CableSpec* cable = nullptr;  // null: the loss of `node`
    std::optional<NodeName> node;
    std::pair<NodeName, NodeName> lost;
  };
  std::optional<Unprotected> unprotected() const;
  // The first cable whose loss splits the network.
  const CableSpec* bridge() const;
  // Pairs of nodes whose loss splits the others, though that of each alone does not: in a ring all
  // that are no neighbours. Nodes whose loss alone splits the others are in no pair.
  std::vector<std::pair<NodeName, NodeName>> splitting_pairs() const;

 private:
  using Index = std::size_t;
  static constexpr Index kNone = static_cast<Index>(-1);
  struct Port {
    PortRef name;
    Index node = 0, peer = 0;  // `peer`: the port at the other end
    Index cable = 0;
  };
  using Cables = std::vector<Index>;  // cables that carry nothing; a few

  void add_cable(const CableSpec& cable, Index number);
  void find_suspects();
  void find_tables();
  // The number of cables from each node to `to`; kNone if there is no way.
  std::vector<Index> distances(Index to, const Cables& without) const;
  // The first port of `from` that is nearer to the target; kNone if none is.
  Index step(Index from, const std::vector<Index>& distance, const Cables& without) const;
  std::vector<Index> ranked(Index from, Index to, const Cables& suspects) const;
  // True if a packet that leaves by port `first` arrives by the tables, with `dead` cut.
  bool arrives(Index to, const Cables& dead, Index first) const;
  // True if packets arrive by every shortest way.
  bool all_arrive(Index from, Index to, const Cables& dead) const;
  std::optional<std::pair<NodeName, NodeName>> lost_pair(const Cables& dead) const;
  bool joined_without(Index one, Index other) const;

  std::vector<NodeName> nodes_;
  std::vector<Port> ports_;                   // in order
  std::vector<std::vector<Index>> ports_of_;  // by node, in order
  std::vector<const CableSpec*> cables_;
  std::vector<std::vector<Cables>> suspects_;                   // by incoming port and destination
  std::vector<std::vector<std::vector<Index>>> own_, by_port_;  // ranked ports, by destination
  std::vector<std::vector<Index>> shortest_;                    // by destination and node
};

}  // namespace fabric
