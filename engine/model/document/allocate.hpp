// SPDX-License-Identifier: Apache-2.0
// Allocates the addresses of the member ports of a network.
//
// A written address wins. Any other is a number in the subnet: `per: node` takes the host number h
// of a node with one port; `per: port` (always in a chain) gives the k-th member port of host h the
// number (h - 1) * n + k, n the most member ports of any node in the network. `per: cable` gives
// the k-th cable of the document the k-th part of the subnet, so that a cable that is added at the
// end changes no other; of its two ends the lower port has the lower address, and a host before a
// switch. A cable with an end without addresses gets none.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/model/findings.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

// One entry of `addresses`, its key resolved: a node (its ports in order) or one of its ports.
struct WrittenAddresses {
  NodeName node;
  std::optional<PortRef> port;
  std::vector<Sourced<IpAddress>> addresses;  // empty if unreadable, which has been reported
  SourceRange range;                          // place of the key
};

struct AllocationRequest {
  const FabricSpec& spec;
  std::string_view network;  // for messages
  // Ports that carry addresses, in order; switch ports only if in cable_ports().
  std::vector<PortRef> ports;
  std::vector<WrittenAddresses> written;
  const std::vector<CableSpec>* cables = nullptr;  // for `per: cable`
};

// Fills `ip.addresses`. Problems: `subnet-too-small` for cables, `address-outside-subnet` and
// `address-conflict` with both places, `missing-key` where a host number, an address or the subnet
// is needed and not there, `node-unknown` and `port-unknown` for an address of a node or port that
// is not in the network, `out-of-range` for a list that does not fit the ports.
void allocate_addresses(const AllocationRequest& request, IpSpec& ip, Findings& findings);

// The ports of a network that carry its addresses: all member ports of hosts; in a lag the first
// one of each node, for the bond.
std::vector<PortRef> address_ports(const NetworkSpec& network);
// Keeps the first port of each node: a bond's first port has its addresses. REQUIRES: ports in
// order.
void keep_first_of_each_node(std::vector<PortRef>& ports);

}  // namespace fabric
