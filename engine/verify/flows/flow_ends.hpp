// SPDX-License-Identifier: Apache-2.0
// The two ends of a flow: devices, addresses, GIDs and their greatest bandwidth.
#pragma once

#include <string>

#include "engine/discovery/evidence.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/flows/flow.hpp"

namespace fabric::verify {

class FlowEnds {
 public:
  // The arguments must outlive this object.
  FlowEnds(
      const FabricSpec& spec, const discovery::Evidence& evidence, const ReadingsByNode& readings)
      : spec_{spec}, evidence_{evidence}, readings_{readings} {}

  // The end at `port`. A missing device, address or GID is written to `why_not` if that is empty.
  FlowEnd of(
      const NetworkSpec& network, const PortRef& port, Traffic traffic, std::string& why_not) const;
  // True if the node has the tool that measures this traffic.
  bool is_measurable(const NodeName& node, Traffic traffic) const;
  // Lowers the limit of `flow` to what the link and the PCIe slot of this end allow.
  void limit(Flow& flow, const FlowEnd& end) const;

 private:
  void find_rdma(FlowEnd& end, bool infiniband, std::string& why_not) const;
  const RdmaPort* rdma_port(const FlowEnd& end) const;

  const FabricSpec& spec_;
  const discovery::Evidence& evidence_;
  const ReadingsByNode& readings_;
};

// True if `gid` is the GID that the kernel makes of `address`: an IPv4 address stands after ::ffff.
bool is_gid_of(const std::string& gid, const std::string& address);

}  // namespace fabric::verify
