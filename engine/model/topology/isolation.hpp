// SPDX-License-Identifier: Apache-2.0
// Isolation: whether two sides reach each other that must not, by all that joins their ports.
// Ethernet ports hear each other by cables and switches, each VLAN for itself and everything
// without a tag together; InfiniBand ports of one subnet share partitions, and two limited members
// of one do not talk. A host joins its networks only where it forwards.
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
  SourceRange range{};  // place of the route, if a route joins them
};

// A place where two hosts hear each other without a host that forwards.
struct CommonPlace {
  std::string words;  // "VLAN 10 at leaf1", "partition red of ib"
  std::string network, vlan, partition;
  // Full members of the partition: two limited ones hear each other but do not talk.
  bool one_full = true, other_full = true;
  bool talk() const { return one_full || other_full; }
  friend auto operator<=>(const CommonPlace&, const CommonPlace&) = default;
};

class Isolation {
 public:
  // `forwarding`: hosts that forward though the document does not say so.
  // REQUIRES: `spec` outlives this.
  explicit Isolation(const FabricSpec& spec, const std::set<NodeName>& forwarding = {});

  // A shortest way between the sides; nullopt if nothing in the document joins them.
  std::optional<Meeting> meeting(const IsolatedPair& pair) const;

  // The places of both hosts, in order of words; empty: no common network, VLAN or partition.
  std::vector<CommonPlace> common(const NodeName& one, const NodeName& other) const;

  // True if this host forwards between its ports by the document.
  static bool forwards(const FabricSpec& spec, const NodeSpec& node);

 private:
  using Index = std::size_t;
  // A port as a member of a network, of a VLAN or of a partition.
  struct Member {
    NodeName node;
    Index domain = 0;
    std::string network, vlan, partition;  // the latter two "" for untagged frames
    bool full = true;                      // full member of the partition
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
