// SPDX-License-Identifier: Apache-2.0
// Mode infiniband: IP over InfiniBand, its MTU and its uplinks on ESX.
#include <algorithm>

#include <fmt/format.h>

#include "engine/model/mtu_limits.hpp"
#include "engine/model/partition_ports.hpp"
#include "engine/model/rules/context.hpp"
#include "engine/model/vi3.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kIpoibRules[] = {
    {"ipoib-mtu-too-large",
     Severity::error,
     RuleStage::document,
     "IPoIB in datagram mode carries at most the IB MTU less 4 bytes. Connected mode and its "
     "65520 bytes do not exist with the enhanced IPoIB of ConnectX-4 and later; ESX knows "
     "datagram mode only, up to 4052 (VI3) or 4092 bytes and 2044 on InfiniHost III.",
     "E-ipoib-header: RFC 4391, 7; E-ipoib-connected: RFC 4755; Linux, "
     "drivers/net/ethernet/mellanox/mlx5/core/ipoib; E-esx-ipoib-mtu: Mellanox InfiniBand OFED "
     "for VI 3.5 and vSphere 4.0, installation guide rev. 1.30, 4.4.2.5",
     "Lower `ipoib.mtu`, or raise the network's `mtu` to 4096."},
    {"uplinks-limit",
     Severity::error,
     RuleStage::document,
     "The ESX IPoIB driver makes at most 8 uplinks of a port and 16 of a host (16 and 32 on "
     "VI3), and as many of each port of a host.",
     "E-esx-uplinks: Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, installation guide "
     "rev. 1.30, 4.4.2.2",
     "Lower `ipoib.uplinks`; give the networks of a host the same number."},
    {"ipoib-bond-vlan",
     Severity::error,
     RuleStage::document,
     "The IPoIB interfaces of the ports are slaves of the bond, and Linux makes no child of a bond "
     "in another partition. Bonds of the children themselves are not built yet.",
     "E-bonding-ipoib: Linux, drivers/net/bonding/bond_main.c, bond_enslave()",
     "Give the bond to the network without `vlans`, or address the children of each port."},
    {"port-not-in-network",
     Severity::error,
     RuleStage::document,
     "IPoIB is asked for on a port that is not in the network.",
     "E-grammar: docs/document.md",
     "Add the port to `cables` or `ports`, or remove it here."},
};

constexpr std::uint32_t kDefaultMtu = 2048;
constexpr std::uint32_t kHeader = 4;            // E-ipoib-header: that of a datagram
constexpr std::uint32_t kVi3Mtu = 4052;         // E-esx-ipoib-mtu
constexpr std::uint32_t kInfinihostMtu = 2044;  // E-esx-ipoib-mtu
constexpr std::uint32_t kDefaultPartition = 0x7fff;

struct IbMtu {
  std::uint32_t value = kDefaultMtu;
  SourceRange range;
};

// The MTU that the broadcast group of the default partition has: that of its own entry, or the
// network's.
IbMtu group_mtu(const NetworkSpec& network) {
  for (const PartitionSpec& partition : network.partitions) {
    const bool is_default =
        (static_cast<std::uint64_t>(partition.pkey.value) & kDefaultPartition) == kDefaultPartition;
    if (is_default && partition.mtu.value != 0) return {partition.mtu.value, partition.mtu.range};
  }
  if (network.mtu.value != 0) return {network.mtu.value, network.mtu.range};
  return {kDefaultMtu, network.range};
}

void check_against_subnet(
    const NetworkSpec& network, const IpoibSpec& ipoib, Diagnostics& diagnostics) {
  if (!is_known(ipoib.mtu.range)) return;
  const bool connected = ipoib.mode.value == "connected";
  const IbMtu mtu = group_mtu(network);
  const std::uint32_t limit = connected ? kConnectedMtu : mtu.value - kHeader;
  if (ipoib.mtu.value <= limit) return;
  Diagnostic& found = diagnostics.error(
      "ipoib-mtu-too-large",
      ipoib.mtu.range,
      connected ? fmt::format(
                      "IPoIB MTU {} is above {}, the maximum of connected mode",
                      ipoib.mtu.value,
                      kConnectedMtu)
                : fmt::format(
                      "IPoIB MTU {} is above {}: a datagram carries the IB MTU of {} less {} bytes",
                      ipoib.mtu.value,
                      limit,
                      mtu.value,
                      kHeader));
  if (connected) return;
  found
      .with_note(
          mtu.range,
          is_known(network.mtu.range) || mtu.range != network.range
              ? "the IB MTU is given here"
              : "without `mtu` the network has 2048")
      .with_help(
          mtu.value < 4096 ? "lower `ipoib.mtu`, or give the network `mtu: 4096`"
                           : "lower it to 4092");
}

bool is_switched_off(const NodeSpec& node, const char* module, const char* option) {
  const auto options = node.modules.find(module);
  if (options == node.modules.end()) return false;
  const auto value = options->second.find(option);
  return value != options->second.end() && value->second.value == "0" &&
         node.software->stack.value != "inbox";
}

// Checks IPoIB against the adapter and platform of one member port.
void check_member(
    const NodeSpec& node,
    const AdapterSpec& adapter,
    const IpoibSpec& ipoib,
    Diagnostics& diagnostics) {
  if (adapter.hardware == nullptr) return;
  const HardwareModel& model = *adapter.hardware;
  const std::string card =
      fmt::format("adapter {} of {} ({})", adapter.name, node.name.str(), model.name);
  // Enhanced IPoIB came with ConnectX-4; Connect-IB has the same driver without it. MLNX_OFED and
  // DOCA have an option that switches it off.
  const bool enhanced = model.driver == "mlx5_core" && model.family != "connect-ib" &&
                        !is_switched_off(node, "ib_ipoib", "ipoib_enhanced");
  const bool esx = is_esx(node.platform.value);
  if (ipoib.mode.value == "connected" && (enhanced || esx)) {
    diagnostics
        .error(
            "ipoib-mtu-too-large",
            ipoib.mode.range,
            esx ? fmt::format(
                      "{} runs {}, whose IPoIB has datagram mode only",
                      node.name.str(),
                      to_string(node.platform.value))
                : fmt::format("{} has no connected mode: its IPoIB is the enhanced one", card))
        .with_note(adapter.model.range, "the model is given here")
        .with_help(
            "use `mode: datagram` with at most 4092 bytes; with MLNX_OFED or DOCA `modules: "
            "{ib_ipoib: {ipoib_enhanced: 0}}` brings connected mode back");
    return;
  }
  const std::uint32_t limit = model.family == "infinihost-iii" ? kInfinihostMtu
                              : is_vi3(node)                   ? kVi3Mtu
                                                               : kConnectedMtu;
  if (ipoib.mode.value == "connected" || ipoib.mtu.value <= limit) return;
  diagnostics
      .error(
          "ipoib-mtu-too-large",
          ipoib.mtu.range,
          fmt::format(
              "IPoIB MTU {} is above {}, the maximum of {}",
              ipoib.mtu.value,
              limit,
              limit == kInfinihostMtu ? card : node.name.str() + " (VMware Infrastructure 3)"))
      .with_note(
          limit == kInfinihostMtu ? adapter.model.range : node.os->release.range,
          "it is given here")
      .with_help(fmt::format("set `mtu: {}`; all members of a network have one MTU", limit));
}

// Uplinks that the ESX driver makes: of a port, of a host (E-esx-uplinks).
struct UplinkLimit {
  std::uint32_t port, host;
};

UplinkLimit uplink_limit(const NodeSpec& node) {
  return is_vi3(node) ? UplinkLimit{16, 32} : UplinkLimit{8, 16};
}

struct UplinksSoFar {
  std::map<NodeName, std::uint64_t> of_host;
  std::map<NodeName, const Sourced<std::uint32_t>*> first;  // the first uplinks of each host
};

void check_uplinks(
    const Context& context,
    const NetworkSpec& network,
    UplinksSoFar& so_far,
    Diagnostics& diagnostics) {
  auto& [of_host, first] = so_far;
  const Sourced<std::uint32_t>& uplinks = *network.ipoib->uplinks;
  for (const PortRef& port : context.members(network)) {
    const NodeSpec* node = context.node(port);
    if (node == nullptr || !traits(node->platform.value).service_console) continue;
    const About about{diagnostics, port.node};
    const UplinkLimit limit = uplink_limit(*node);
    const Sourced<std::uint32_t>* other = first.emplace(port.node, &uplinks).first->second;
    if (other->value != uplinks.value) {
      diagnostics
          .error(
              "uplinks-limit",
              uplinks.range,
              fmt::format(
                  "{} uplinks a port here and {} in another network: all ports of {} get one "
                  "number",
                  uplinks.value,
                  other->value,
                  node->name.str()))
          .with_note(other->range, "the other number")
          .with_help("give both networks the same number");
      return;
    }
    std::uint64_t& total = of_host[port.node];
    const bool fitted = total <= limit.host;
    total += uplinks.value;
    if (uplinks.value > limit.port) {
      diagnostics
          .error(
              "uplinks-limit",
              uplinks.range,
              fmt::format(
                  "{} uplinks a port are above {}, the maximum of the driver on {}",
                  uplinks.value,
                  limit.port,
                  node->name.str()))
          .with_note(context.use(network, port).range, "a port of the network on that host");
      return;
    }
    if (fitted && total > limit.host) {
      diagnostics
          .error(
              "uplinks-limit",
              uplinks.range,
              fmt::format(
                  "{} would have {} uplinks on its ports together; a host can have {}",
                  port.node.str(),
                  total,
                  limit.host))
          .with_note(node->range, "the host")
          .with_help("lower `uplinks`, or use fewer ports");
    }
  }
}

void check_ports(const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  const std::vector<PortRef>& members = context.members(network);
  for (const Sourced<PortRef>& port : network.ipoib->ports) {
    if (std::binary_search(members.begin(), members.end(), port.value)) continue;
    diagnostics
        .error(
            "port-not-in-network",
            port.range,
            fmt::format("IPoIB port {} is not in network {}", port.value.str(), network.name))
        .about(port.value.subject())
        .because_of(network.unread_end)
        .with_note(network.range, "the network")
        .with_help("add it to `cables` or `ports` of the network, or remove it here");
  }
}

}  // namespace

RuleRows ipoib_rules() {
  return kIpoibRules;
}

void check_ipoib(const Context& context, Diagnostics& diagnostics) {
  UplinksSoFar uplinks;
  for (const auto& [name, network] : context.spec().networks) {
    if (network.mode.value != Mode::infiniband || !network.ipoib) continue;
    const About about{diagnostics, name};
    const IpoibSpec& ipoib = *network.ipoib;
    check_ports(context, network, diagnostics);
    if (ipoib.bond && !network.vlans.empty()) {
      diagnostics
          .error(
              "ipoib-bond-vlan",
              network.vlans.front().range,
              fmt::format("no VLAN of network {} can lie on its IPoIB bond", name))
          .with_note(ipoib.bond->range, "the bond")
          .with_help("remove one of the two");
    }
    if (ipoib.bond && is_vlan_name(ipoib.bond->bond.value)) {
      diagnostics
          .error(
              "interface-name-unfit",
              ipoib.bond->bond.range,
              fmt::format(
                  "a bond can't be named {}: ifupdown makes a VLAN of it", ipoib.bond->bond.value))
          .with_help("choose another name, for example bond0");
    }
    check_against_subnet(network, ipoib, diagnostics);
    if (ipoib.uplinks) check_uplinks(context, network, uplinks, diagnostics);
    // Nodes of one set share their adapters.
    std::pair<const NodeSpec*, const AdapterSpec*> previous;
    for (const PortRef& port : ipoib_ports(network, context.members(network))) {
      const NodeSpec* node = context.node(port);
      const AdapterSpec* adapter = context.adapter(port);
      if (adapter == nullptr || previous == std::pair{node, adapter}) continue;
      previous = {node, adapter};
      const About card{diagnostics, {node->name, adapter->name}};
      check_member(*node, *adapter, ipoib, diagnostics);
    }
  }
}

}  // namespace fabric::rules
