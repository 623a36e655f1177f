// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/flows/roce_addresses.hpp"

#include <fmt/format.h>

#include "engine/verify/flows/flow_ends.hpp"

namespace fabric::verify {

namespace {

RoceAddressReport report_of(
    const PortRef& port, const Sourced<IpAddress>& address, const PortReadings& readings) {
  RoceAddressReport report{port, address.value.str(), {}, std::nullopt, address.range};
  for (const RdmaPort& rdma : readings.rdma) {
    for (const Gid& gid : rdma.gids) {
      if (report.index || !is_gid_of(gid.address, report.address)) continue;
      report.rdma = rdma.str();
      if (gid.type == "RoCE v2") report.index = gid.index;
    }
  }
  return report;
}

bool wants_roce(const NetworkSpec& network) {
  if (network.mode.value == Mode::infiniband) return false;
  return !network.lag || !network.lag->roce || network.lag->roce->value;
}

}  // namespace

std::vector<RoceAddressReport> roce_addresses(
    const FabricSpec& spec, const ReadingsByNode& readings) {
  std::vector<RoceAddressReport> reports;
  for (const auto& [name, network] : spec.networks) {
    if (!wants_roce(network)) continue;
    for (const IpSpec* ip : {&network.ipv4, &network.ipv6}) {
      for (const auto& [port, addresses] : ip->addresses) {
        const auto of_node = readings.find(port.node);
        if (of_node == readings.end() || of_node->second.rdma.empty()) continue;
        for (const Sourced<IpAddress>& address : addresses)
          reports.push_back(report_of(port, address, of_node->second));
      }
    }
  }
  return reports;
}

void add_roce_findings(const std::vector<RoceAddressReport>& addresses, Findings& findings) {
  for (const RoceAddressReport& report : addresses) {
    if (report.index) continue;
    const Findings::Number number = findings.add(
        {Severity::error,
         "roce-gid-missing",
         report.range,
         report.rdma.empty()
             ? fmt::format(
                   "no RDMA device of {} has a GID of {}, so RDMA can't use the address",
                   report.port.node.str(),
                   report.address)
             : fmt::format(
                   "{} of {} has {} as RoCE v1 only, which no router and few peers take",
                   report.rdma,
                   report.port.node.str(),
                   report.address),
         "run `fabric plan` to see whether the address is on the interface of the card; then look "
         "at `rdma link`",
         {},
         report.port.subject()});
    findings.without_gid.emplace(report.port, number);
  }
}

}  // namespace fabric::verify
