// SPDX-License-Identifier: Apache-2.0
// Isolation: whether two sides that must not reach each other do, by what joins ports. Ethernet
// ports hear each other by cables and switches, each VLAN for itself and everything without a tag
// together; InfiniBand ports of one subnet share partitions, and two limited members of one do not
// talk. A host joins its networks only where it forwards.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric {

// A way from one side to the other.
struct Meeting {
  std::string way;      // "n1 - VLAN 10 at leaf1 - n3, which forwards - partition red of ib - n4"
  SourceRange range{};  // of what joins them, where one place does: a route
};

// Where two hosts hear each other without a host that forwards.
struct CommonPlace {
  std::string words;  // "VLAN 10 at leaf1", "partition red of ib"
  std::string network, vlan, partition;
  // Members of a partition: two limited ones hear each other and do not talk.
  bool one_full = true, other_full = true;
  bool talk() const { return one_full || other_full; }
  friend auto operator<=>(const CommonPlace&, const CommonPlace&) = default;
};

class Isolation {
 public:
  // `forwarding`: hosts that forward though the document does not say so.
  // REQUIRES: `spec` outlives this.
  explicit Isolation(const FabricSpec& spec, const std::set<NodeName>& forwarding = {});

  // The first way found, a shortest one; nullopt: nothing that the document has joins them.
  std::optional<Meeting> meeting(const IsolatedPair& pair) const;

  // In order of words; empty: they have no network, VLAN or partition in common.
  std::vector<CommonPlace> common(const NodeName& one, const NodeName& other) const;

  // The document has this host forward between its ports.
  static bool forwards(const FabricSpec& spec, const NodeSpec& node);

 private:
  using Index = std::size_t;
  // What a port hears, as a member of a network, of a VLAN or of a partition.
  struct Member {
    NodeName node;
    Index domain = 0;
    std::string network, vlan, partition;  // the latter two "" of what has no tag
    bool full = true;                      // of a partition
  };

  Index domain(const std::string& key, std::string words);
  void add(Member member);
  void add_ethernet();
  void add_infiniband();
  void add_keys(const NetworkSpec& network, const PortRef& port, const std::string& subnet);
  bool is_of(const Member& member, const IsolatedSide& side) const;
  std::optional<Meeting> by_routes(const IsolatedPair& pair) const;
  std::string way_to(Index last, const std::vector<Index>& from) const;

  const FabricSpec& spec_;
  std::set<NodeName> forwarding_;
  std::map<std::string, Index> domains_;
  std::vector<std::string> words_;  // by domain
  std::vector<Member> members_;
  std::vector<std::vector<Index>> members_of_;  // by domain
  std::map<NodeName, std::vector<Index>> members_at_;
};

}  // namespace fabric
