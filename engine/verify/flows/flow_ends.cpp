// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/flows/flow_ends.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/address.hpp"
#include "engine/model/pcie.hpp"
#include "engine/verify/paths/endpoints.hpp"

namespace fabric::verify {

namespace {

// The address of the port. A bond has one address, given at one of its slaves.
std::string address_in(const NetworkSpec& network, const PortRef& port) {
  std::vector<PortRef> ports{port};
  if (network.mode.value == Mode::lag) {
    for (const PortRef& member : network.member_ports()) {
      if (member.node == port.node && member != port) ports.push_back(member);
    }
  }
  for (const PortRef& each : ports) {
    const IpAddress* address = address_of({&network.ipv4, &network.ipv6}, {each});
    if (address != nullptr) return address->str();
  }
  return {};
}

void keep_first(std::string& why_not, std::string text) {
  if (why_not.empty()) why_not = std::move(text);
}

}  // namespace

bool is_gid_of(const std::string& gid, const std::string& address) {
  const bool ipv6 = address.find(':') != std::string::npos;
  const Result<IpAddress> wanted = IpAddress::parse(ipv6 ? address : "::ffff:" + address);
  const Result<IpAddress> found = IpAddress::parse(gid);
  return wanted && found && *wanted == *found;
}

FlowEnd FlowEnds::of(
    const NetworkSpec& network, const PortRef& port, Traffic traffic, std::string& why_not) const {
  FlowEnd end{port};
  const discovery::PortEvidence evidence = evidence_.port(port);
  if (!evidence.device) {
    keep_first(why_not, evidence.why_unknown);
    return end;
  }
  const bool infiniband = network.mode.value == Mode::infiniband;
  const bool bonded = network.mode.value == Mode::lag && network.lag;
  end.at.interface = bonded ? network.lag->bond.value : evidence.device->name;
  if (infiniband) {
    // The two ends of perftest find each other over TCP, and IPoIB may not be there.
    const NodeSpec* node = spec_.find_node(port.node.str());
    const bool named = node == nullptr || node->address.value.empty();
    end.at.address = named ? port.node.str() : node->address.value;
  } else {
    end.at.address = address_in(network, port);
    if (end.at.address.empty()) keep_first(why_not, port.str() + " has no address in the document");
  }
  if (traffic == Traffic::rdma) find_rdma(end, infiniband, why_not);
  return end;
}

const RdmaPort* FlowEnds::rdma_port(const FlowEnd& end) const {
  const auto readings = readings_.find(end.port.node);
  const discovery::PortEvidence evidence = evidence_.port(end.port);
  if (readings == readings_.end() || !evidence.card) return nullptr;
  return readings->second.rdma_of(end.at.interface, *evidence.card, end.port.number());
}

void FlowEnds::find_rdma(FlowEnd& end, bool infiniband, std::string& why_not) const {
  const RdmaPort* port = rdma_port(end);
  if (port == nullptr) {
    keep_first(why_not, end.port.str() + " has no RDMA device");
    return;
  }
  end.at.rdma_device = port->device;
  end.at.rdma_port = port->number;
  if (infiniband) return;
  const auto gid = std::find_if(port->gids.begin(), port->gids.end(), [&](const Gid& candidate) {
    return candidate.type == "RoCE v2" && is_gid_of(candidate.address, end.at.address);
  });
  if (gid != port->gids.end()) {
    end.at.gid_index = gid->index;
    return;
  }
  keep_first(
      why_not,
      fmt::format(
          "{} of {} has no RoCE v2 GID of {}: the address is not on {}",
          port->str(),
          end.port.node.str(),
          end.at.address,
          end.at.interface));
}

bool FlowEnds::is_measurable(const NodeName& node, Traffic traffic) const {
  const auto readings = readings_.find(node);
  return readings == readings_.end() || readings->second.measurable.contains(traffic);
}

void FlowEnds::limit(Flow& flow, const FlowEnd& end) const {
  const auto lower = [&](double gbps, const std::string& by) {
    if (gbps <= 0 || (flow.limit_gbps > 0 && flow.limit_gbps <= gbps)) return;
    flow.limit_gbps = gbps;
    flow.limited_by = by;
  };
  const discovery::PortEvidence evidence = evidence_.port(end.port);
  if (evidence.device && evidence.device->speed_mbps) {
    constexpr double kMegabits = 1000;
    lower(
        static_cast<double>(*evidence.device->speed_mbps) / kMegabits,
        "the link of " + end.port.str());
  } else if (const RdmaPort* port = rdma_port(end); port != nullptr && port->state == "ACTIVE") {
    lower(port->gbps, "the link of " + end.port.str());
  }
  const auto generation =
      pcie_generation(evidence_.adapter_text(end.port.node, end.port.adapter, "pcie_speed"));
  const auto lanes =
      parse_integer(evidence_.adapter_text(end.port.node, end.port.adapter, "pcie_width"));
  if (!generation || !lanes || *lanes < 1 || *lanes > 32) return;
  const std::optional<double> able = pcie_gbps(*generation, static_cast<std::uint32_t>(*lanes));
  if (able)
    lower(*able, fmt::format("the PCIe slot of {}/{}", end.port.node.str(), end.port.adapter));
}

}  // namespace fabric::verify
