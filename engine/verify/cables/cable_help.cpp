// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/cable_help.hpp"

#include <fmt/format.h>

namespace fabric::verify {

std::string help_for(const CableReport& cable) {
  const std::string ends = fmt::format("{} and {}", cable.a.str(), cable.b.str());
  switch (cable.state) {
    case CableState::missing:
      return "plug in the cable between " + ends;
    case CableState::one_sided:
      return "look at both plugs of the cable between " + ends;
    case CableState::loopback:
      return "the cable returns to its own node: join " + ends;
    case CableState::mis_wired:
      return fmt::format("connect {}, or correct the cable in the document", ends);
    default:
      return {};
  }
}

std::string no_data_help(const CableReport& cable, bool without_link) {
  if (without_link) return "run `fabric plan`: ports are down that the document needs";
  if (cable.lack == WireLack::level)
    return "verify with `--level link`, which asks the hosts at both ends";
  if (cable.lldp_is_ambiguous)
    return "`--level link` compares the serial numbers of the plugs; or write `proof: carrier` at "
           "the cable where a link is enough";
  if (cable.lldp_is_unmapped)
    return "write the port as the switch writes it, or `system_name: NAME` at the switch where it "
           "calls itself otherwise; or `proof: carrier` at the cable or its switch where a link is "
           "enough";
  if (!cable.infiniband)
    return "run lldpd at both ends (hosts: `packages: [lldpd]`), or write `proof: carrier` at the "
           "cable or its switch where a link is enough";
  if (cable.lack == WireLack::number)
    return "write the port by its number in the subnet, or give the `model` of the switch";
  if (cable.lack == WireLack::adapter)
    return "give the `node_guid` of the adapters, name them as they call themselves in the subnet "
           "(`mlx5_0`), or verify with the facts of their nodes";
  if (!cable.not_seen.empty())
    return "bring the nodes up (rdma-ndd names their adapters), write them as they call themselves "
           "in the subnet, or give the `node_guid` of their adapters";
  if (cable.source_read) return "look again, from a place that reaches both ends of the cables";
  return "install infiniband-diags on a node of the subnet that has the physical function of its "
         "adapter, or give `--wire` what ibnetdiscover prints";
}

}  // namespace fabric::verify
