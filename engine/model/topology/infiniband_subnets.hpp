// SPDX-License-Identifier: Apache-2.0
// The InfiniBand subnets of a network: connected components of its cables. A switch joins all its
// ports; a host adapter joins nothing, for it does not forward.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric {

struct InfinibandSubnet {
  std::vector<PortRef> host_ports;  // in order
  std::vector<NodeName> switches;   // in order
  SourceRange range;                // a cable or port that is in it
};

struct InfinibandSubnets {
  std::vector<InfinibandSubnet> subnets;  // in order of their first cable, then of their first port
  std::map<PortRef, std::size_t> of_port;
  std::map<NodeName, std::size_t> of_switch;
};

// Ports that are listed without a cable are taken to be in one subnet, that of the first switch
// where there is one: nothing else can be known of them.
InfinibandSubnets infiniband_subnets(const NetworkSpec& network);

// True if the `port` of a subnet manager ("P", "adapter/P", or "" where it was left out) can mean
// this port of its node.
bool port_fits(const PortRef& port, std::string_view wanted);
// True if the document places a subnet manager of the network on this port.
bool places_manager(const NetworkSpec& network, const PortRef& port);

}  // namespace fabric
