// SPDX-License-Identifier: Apache-2.0
// NetworkCuts: which hosts of a network lose each other when a part is taken out, by its cables
// alone. A switch joins all its ports, a card of mode chain its two, a host those of a network with
// transit. The whole network is analysed once, so that each question is cheap and can be asked for
// every cable and node of a large fabric.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/graph/cuts.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

// Parts of one network that are taken out.
struct TakenOut {
  std::set<NodeName> nodes{};           // nodes that are off
  std::vector<std::size_t> cables{};    // indices in NetworkSpec::cables
  std::set<PortRef> ports{};            // ports of hosts that carry nothing
  std::vector<std::size_t> managers{};  // indices in NetworkSpec::subnet_managers
};

// A bond of a host that is up: the number of its ports that still lead anywhere, and of all.
struct WeakBond {
  std::string network;
  NodeName node;
  std::size_t left = 0, all = 0;
  bool operator==(const WeakBond&) const = default;
};

struct NetworkLoss {
  // Number of pairs of remaining hosts that reached each other before and do not now.
  std::size_t pairs = 0;
  // Hosts outside of the largest part that is left, in order; with two equal parts the hosts of
  // both. `cut_off`: the number of them that reach no other host.
  std::vector<NodeName> hosts{};
  std::size_t cut_off = 0;
  std::optional<std::pair<NodeName, NodeName>> example{};  // one of the pairs
  std::vector<std::pair<NodeName, NodeName>> list{};       // all pairs, in order, if asked for
  std::vector<WeakBond> bonds{};                           // bonds with fewer ports than before
  std::vector<NodeName> unmanaged{};  // hosts whose subnet had a manager and has none, in order

  bool is_nothing() const { return pairs == 0 && bonds.empty() && unmanaged.empty(); }
};

class NetworkCuts {
 public:
  // Nodes that are offline by the document are away, and so are `away`; cables to them carry
  // nothing, nor do `dark`. REQUIRES: `spec` and `network` outlive this object.
  NetworkCuts(
      const FabricSpec& spec,
      const NetworkSpec& network,
      const std::set<NodeName>& away = {},
      const std::set<std::size_t>& dark = {});

  const NetworkSpec& network() const { return network_; }
  // The hosts that are up, in order.
  const std::vector<NodeName>& hosts() const { return hosts_; }
  // Number of pairs of these hosts that reach each other while nothing is taken out.
  std::size_t pairs() const { return pairs_; }
  bool has(const NodeName& node) const { return vertices_of_.contains(node); }

  // Hosts that lose another host when one cable, switch or other host is out, with the first such
  // thing: "leaf2", "s1/cx5/1 - leaf1/1".
  std::map<NodeName, std::string> hanging() const;

  NetworkLoss without(const TakenOut& taken, bool with_list = false) const;

 private:
  using Index = std::size_t;
  using Signature = std::vector<Index>;  // components in which a host has ports, ascending
  static constexpr Index kNone = static_cast<Index>(-1);
  struct Fallen;
  struct Group;

  Index vertex(const PortRef& port);
  PortRef key_of(const PortRef& port) const;
  void add_hosts(const FabricSpec& spec, const std::set<NodeName>& away);
  void add_cables(
      const FabricSpec& spec, const std::set<NodeName>& away, const std::set<Index>& dark);
  void add_listed_ports(const FabricSpec& spec, const std::set<NodeName>& away);
  void add_managers();
  void sort_hosts();
  Fallen fallen(const TakenOut& taken) const;
  void add_rest(Fallen& fallen, std::vector<graph::Cuts::Part>& parts) const;
  Signature after(Index host, const Fallen& fallen) const;
  std::vector<Group> groups(const Fallen& fallen) const;
  std::vector<Index> untouched(const std::vector<Group>& groups, const Fallen& fallen) const;
  void count_pairs(const Fallen& fallen, NetworkLoss& loss) const;
  void list_pairs(const Fallen& fallen, NetworkLoss& loss) const;
  void count_bonds(const Fallen& fallen, NetworkLoss& loss) const;
  void find_unmanaged(const TakenOut& taken, const Fallen& fallen, NetworkLoss& loss) const;
  Index first_of(Index signature, const Fallen& fallen) const;
  bool is_of_host(Index vertex) const {
    return vertex < host_at_.size() && host_at_[vertex] != kNone;
  }
  bool is_leaf(Index vertex) const { return cuts_->edges_at(vertex).size() <= 1; }

  const NetworkSpec& network_;
  bool joins_hosts_ = false, joins_cards_ = false;
  std::map<PortRef, Index> vertices_;
  std::map<NodeName, std::vector<Index>> vertices_of_;
  std::vector<NodeName> hosts_;
  std::map<NodeName, Index> host_number_;
  std::vector<std::vector<Index>> vertices_of_host_;
  std::vector<std::size_t> ports_of_host_,
      lit_;                     // all ports, ports with a working cable
  std::vector<Index> host_at_;  // by vertex; kNone: a vertex of a switch
  graph::Cuts::Edges edges_;
  std::vector<std::pair<Index, Index>> host_ends_;  // by edge: the hosts whose ports it ends at
  std::vector<Index> edge_of_cable_;                // kNone: it carries nothing
  std::map<PortRef, std::vector<Index>> edges_of_port_;
  std::optional<graph::Cuts> cuts_;
  std::vector<Signature> signatures_;                    // each once
  std::vector<std::vector<Index>> hosts_with_;           // by signature
  std::vector<std::vector<Index>> signatures_in_;        // by component
  std::vector<std::vector<Index>> host_vertices_in_;     // by component
  std::vector<Index> signature_of_;                      // by host
  std::vector<std::vector<Index>> managers_at_;          // by vertex: placements
  std::map<Index, std::size_t> managers_in_;             // by component
  std::vector<std::vector<Index>> vertices_of_manager_;  // by placement
  std::size_t pairs_ = 0;
};

// The switches, and the hosts of the network that forward or whose cards chain.
std::set<NodeName> nodes_that_join(const FabricSpec& spec, const NetworkSpec& network);

}  // namespace fabric
