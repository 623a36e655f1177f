// SPDX-License-Identifier: Apache-2.0
// FabricSpec to the resources it asks for, with their edges. All of the document: whether some
// provider does it is not known here (Resource::features, plans/refusal.hpp).
// Which kinds there are, what each is bound to and what can be wanted of it:
// engine/model/resource_keys.hpp.
//
// Edges:
//   os, then software, then packages, then modules and firmware, then everything else of the node
//   adapter, firmware, settings and link names before what is on the card's ports
//   slaves beneath their bond; port or bond beneath a VLAN; interface beneath its IPoIB children
//   managers of an InfiniBand subnet before its IPoIB interfaces, on all nodes; the one of lowest
//   priority first, then those that take over from it, in one order of the nodes for all networks,
//   so that no two nodes can wait for each other
//   both ends before the link
// Of nodes that are reached (model/spec.hpp); the others, offline ones among them, have no
// resources, and no cable to an offline node has one.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/diagnostic.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/rule.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

RuleRows expansion_rules();

// Returns all resources in order of address; `diagnostics` name work that is left to a person.
// REQUIRES: `spec` has no errors.
std::vector<Resource> expand(const FabricSpec& spec, Diagnostics& diagnostics);

// For plans that ask a person for missing cables: for each cable of a network that is not
// InfiniBand, a resource at each end that is a managed host, after the resources that make both
// ends ports that are up. InfiniBand's subnet managers start before any IPoIB has a carrier.
// REQUIRES: as expand(), whose result `resources` is.
std::vector<Resource> cables_to_connect(
    const FabricSpec& spec, const std::vector<Resource>& resources, Duration wait);

// For waves: sets of nodes that stand in one ring, in ring order.
struct Ring {
  std::string network;
  std::vector<NodeName> nodes;
  bool closed = true;  // the last node is cabled to the first
  // Not a ring but two hosts that forward, without which the others would fall apart.
  bool splits = false;
};
std::vector<Ring> rings(const FabricSpec& spec);

// For waves: the hosts with a manager of one InfiniBand subnet, for each subnet with several.
struct ManagerGroup {
  std::string network;
  std::set<NodeName> nodes;
};
// REQUIRES: `spec` has no errors.
std::vector<ManagerGroup> manager_groups(const FabricSpec& spec);

// For waves: a switch of the document with its peer of a pair, or with a host that has no other
// switch. `network` is empty for a pair.
struct SwitchTie {
  NodeName node, other;  // the switch; its peer, or the host
  std::string network;
};
// Returns each tie once.
std::vector<SwitchTie> switch_ties(const FabricSpec& spec);

}  // namespace fabric
