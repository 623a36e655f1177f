// SPDX-License-Identifier: Apache-2.0
// The losses if nodes were down or cables were pulled: by the document alone, before any change.
// Pure; no node is asked.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/topology/network_cuts.hpp"
#include "engine/model/topology/reachability.hpp"

namespace fabric::verify {

struct Outage {
  std::set<NodeName> down;  // REQUIRES: nodes of the document
  // Ends of declared cables, in either order.
  std::vector<std::pair<PortRef, PortRef>> cut;
};

// Two hosts, neither of them down, which no longer reach each other in this network: by its cables,
// or in a network of mode chain by their routes. A third host joins them only where its cards
// forward: in a network of mode chain.
struct LostPair {
  std::string network;
  NodeName a, b;
  bool operator==(const LostPair&) const = default;
};

// Hosts that are up in one subnet, whose last subnet manager is gone.
struct UnmanagedSubnet {
  std::string network;
  std::vector<NodeName> hosts;  // in order
  bool operator==(const UnmanagedSubnet&) const = default;
};

// For a network of mode chain: the pairs of addresses of hosts that are up that work while nothing
// is away, and how many of them are lost or may be.
struct AddressPairs {
  std::string network;
  std::size_t working = 0, lost = 0, unknown = 0;
  std::string example{};  // a lost pair, and why it is lost
  std::vector<reach::AddressPair> left{};
  bool operator==(const AddressPairs&) const = default;
};

struct Losses {
  std::size_t pairs = 0;  // pairs of hosts that are up and met, per network
  std::vector<LostPair> lost;
  std::vector<WeakBond> bonds;
  std::vector<UnmanagedSubnet> unmanaged;
  std::vector<AddressPairs> addresses{};
};

// Returns losses in order of network, then of node. Nodes that the document has as offline are down
// in any case, and nothing is lost by them. The link between two switches of an MLAG pair is not
// counted as a way. Fails with ErrorCode::not_found naming a cable that is not declared.
Result<Losses> losses(const FabricSpec& spec, const Outage& outage);

// The end of a declared cable that the command line calls `text`: "pve1/cx5/1", "leaf1/7", or
// "pve1/1" where one adapter of the node has such a port. Fails with ErrorCode::not_found, or
// ErrorCode::invalid where several have one, naming them.
Result<PortRef> cable_end(const FabricSpec& spec, std::string_view text);

}  // namespace fabric::verify
