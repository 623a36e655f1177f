// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/cable_help.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"

namespace fabric::verify {

namespace {

constexpr const char* kLinkIsEnough =
    "write `proof: carrier` at the cable or its switch if a link is proof enough";

Platform platform_of(const FabricSpec& spec, const NodeName& node) {
  return spec.nodes.at(node).platform.value;
}

std::string names(const std::set<NodeName>& nodes) {
  return fold(std::vector<NodeName>{nodes.begin(), nodes.end()});
}

// fabric opens the ports that it configures; those of ESXi are the VMkernel's.
std::string opening_help(const FabricSpec& spec, const CableReport& cable) {
  std::set<NodeName> ours, observed, vmware;
  for (const PortRef& port : cable.shut) {
    const NodeSpec& node = spec.nodes.at(port.node);
    (traits(node.platform.value).virtual_switches ? vmware
     : node.state.value == NodeState::observe     ? observed
                                                  : ours)
        .insert(port.node);
  }
  std::vector<std::string> parts;
  if (!ours.empty()) parts.push_back(fmt::format("`fabric apply` opens it on {}", names(ours)));
  if (!observed.empty())
    parts.push_back(fmt::format(
        "open it on {}, where fabric changes nothing (`state: observe`)", names(observed)));
  if (!vmware.empty())
    parts.push_back(fmt::format(
        "on {}, `esxcli network nic list` names the NIC and `esxcli network nic up -n vmnicN` "
        "opens it",
        names(vmware)));
  return join(parts, "; ");
}

// Of Ethernet: LLDP, by what each kind of end can send or hear.
std::string lldp_help(const FabricSpec& spec, const std::vector<const CableReport*>& cables) {
  std::set<NodeName> linux_hosts, vmware, switches;
  for (const CableReport* cable : cables) {
    for (const PortRef* port : {&cable->a, &cable->b}) {
      const PlatformTraits& of = traits(platform_of(spec, port->node));
      (of.linux_host ? linux_hosts : of.is_switch ? switches : vmware).insert(port->node);
    }
  }
  std::vector<std::string> parts;
  if (!linux_hosts.empty())
    parts.push_back(fmt::format("run lldpd on {} (`packages: [lldpd]`)", names(linux_hosts)));
  if (!switches.empty()) parts.push_back(fmt::format("let {} send and hear LLDP", names(switches)));
  if (!vmware.empty())
    parts.push_back(fmt::format(
        "let the distributed switch of {} send LLDP (a standard one sends none)", names(vmware)));
  return fmt::format("{}; or {}", join(parts, ", "), kLinkIsEnough);
}

bool has_linux_host(const FabricSpec& spec, const std::string& network) {
  const std::vector<PortRef> ports = spec.networks.at(network).member_ports();
  return std::any_of(ports.begin(), ports.end(), [&](const PortRef& port) {
    return traits(platform_of(spec, port.node)).linux_host;
  });
}

std::string subnet_help(const FabricSpec& spec, const CableReport& cable) {
  const bool has_looker = has_linux_host(spec, cable.network);
  return fmt::format(
      "{}give `--wire FILE` with the output of `ibnetdiscover` from a machine of the subnet; or {}",
      has_looker ? "install infiniband-diags on a Linux node of the subnet that has the physical "
                   "function of its adapter, or "
                 : "",
      kLinkIsEnough);
}

}  // namespace

std::string help_for(const FabricSpec& spec, const CableReport& cable) {
  const std::string ends = fmt::format("{} and {}", cable.a.str(), cable.b.str());
  switch (cable.state) {
    case CableState::missing:
      if (cable.lack == WireLack::device)
        return "check with `lspci` and `dmesg` on the node that the card is there, that its driver "
               "has taken it, and that the port is no InfiniBand port";
      return "plug in the cable between " + ends;
    case CableState::one_sided:
      return "look at both plugs of the cable between " + ends;
    case CableState::loopback:
      return "the cable returns to its own node: join " + ends;
    case CableState::mis_wired:
      return fmt::format("connect {}, or correct the cable in the document", ends);
    case CableState::shut:
      return opening_help(spec, cable);
    default:
      return {};
  }
}

std::string unproven_help(const FabricSpec& spec, const std::vector<const CableReport*>& cables) {
  const CableReport& cable = *cables.front();
  if (cable.lack == WireLack::level)
    return "verify with `--level link`, which asks the nodes at both ends";
  if (cable.lldp_is_ambiguous)
    return fmt::format(
        "`--level link` compares the serial numbers of the plugs; or {}", kLinkIsEnough);
  if (cable.lldp_is_unmapped)
    return fmt::format(
        "write the port as the switch writes it, or `system_name: NAME` at the switch if it has "
        "another name there; or {}",
        kLinkIsEnough);
  if (!cable.infiniband) return lldp_help(spec, cables);
  if (cable.lack == WireLack::number)
    return "write the port by its number in the subnet, or give the `model` of the switch";
  if (cable.lack == WireLack::adapter)
    return "give the `node_guid` of the adapters, name them as in the subnet (`mlx5_0`), or verify "
           "with the facts of their nodes";
  if (std::any_of(cables.begin(), cables.end(), [](const CableReport* each) {
        return !each->not_seen.empty();
      }))
    return "bring the nodes up (rdma-ndd names their adapters), write the adapters as the subnet "
           "names them, or give their `node_guid`";
  if (cable.subnet_read)
    return "read the subnet again, from a place that reaches both ends of the cables";
  return subnet_help(spec, cable);
}

}  // namespace fabric::verify
