// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/paths/roce_lag.hpp"

#include <fmt/format.h>

#include "engine/verify/paths/endpoints.hpp"

namespace fabric::verify {

std::vector<Diagnostic> missing_roce_lags(
    const FabricSpec& spec, const discovery::Evidence& evidence) {
  std::vector<Diagnostic> findings;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::lag || !network.lag) continue;
    const LagSpec& lag = *network.lag;
    for (const auto& [node, ports] : host_ports_by_node(spec, network)) {
      // Read only where it is asked for.
      const Reading* roce = evidence.running({node, "bond", lag.bond.value}, "roce");
      if (roce == nullptr || !roce->equals(Value{false})) continue;
      findings.push_back(
          {Severity::error,
           "roce-lag-missing",
           lag.roce ? lag.roce->range : lag.range,
           fmt::format(
               "{} of {}: each of its ports is an RDMA device of its own, not part of the bond's",
               lag.bond.value,
               node.str()),
           "take the ports out of the bond and in again, or reboot the node; write `roce: false` "
           "if a plain bond is wanted",
           {},
           node});
    }
  }
  return findings;
}

}  // namespace fabric::verify
