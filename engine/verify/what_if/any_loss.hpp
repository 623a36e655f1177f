// SPDX-License-Identifier: Apache-2.0
// The effect of each loss of one thing, or of two: each cable, card, host, switch, subnet manager
// and failure domain of the document is taken out in turn. From the document alone; pure. In a
// network of mode chain the hosts' routes decide, in one with transit their tables, in all others
// the cables that are left. OpenSM and spanning trees are taken to find every way that the cables
// leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/topology/network_cuts.hpp"

namespace fabric::verify {

// A cable also stands for its two ports; `port` is one listed without a cable.
enum class Kind : std::uint8_t { cable, port, card, host, switch_node, manager, domain };
std::string_view to_string(Kind kind);  // "cable", "switch"

struct Thing {
  Kind kind = Kind::cable;
  std::string name;              // "pve1/cx5/1 - pve2/cx5/2", "leaf1", "c1 of compute", "rack r12"
  std::vector<NodeName> ends{};  // nodes of a cable, of a domain, or the one
  auto operator<=>(const Thing&) const = default;
};

struct LossIn {
  std::string network;
  NetworkLoss loss;
  // For a chain: the numbers of pairs of addresses of hosts that are up that work while nothing is
  // out, that are lost, and that may be lost.
  std::size_t working = 0, lost = 0, unknown = 0;
  std::string why{};  // why one of these pairs is lost

  bool is_nothing() const { return loss.is_nothing() && lost == 0 && unknown == 0; }
};

struct Costly {
  std::vector<Thing> things;   // one, or two of which neither costs it alone
  std::vector<LossIn> losses;  // in order of network; not empty
};

struct AnyLoss {
  std::map<Kind, std::size_t> counts;  // number of things taken out
  std::size_t combinations = 0;        // number of pairs taken out; 0 = one by one
  std::vector<Costly> costly;          // in order of kind, then of the document
};

AnyLoss any_one(const FabricSpec& spec);
// Takes out two cables, hosts or switches; hosts that reach no other only because both their own
// cables are out count too. Fails with ErrorCode::invalid above kMostNodesForTwo nodes.
inline constexpr std::size_t kMostNodesForTwo = 200;
Result<AnyLoss> any_two(const FabricSpec& spec);

// Things of one kind that cost the same, but for names and networks.
struct LikeLosses {
  std::vector<const Costly*> members;  // not empty
  std::vector<std::string> networks;   // the networks of all members, in order
};
// Sorted by first member. REQUIRES: `all` outlives the result.
std::vector<LikeLosses> alike(const AnyLoss& all);

}  // namespace fabric::verify
