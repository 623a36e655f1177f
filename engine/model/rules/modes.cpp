// SPDX-License-Identifier: Apache-2.0
// Keys against modes, and what every mode asks of a port's hardware.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/model/mtu_limits.hpp"
#include "engine/model/platform_keys.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kModeRules[] = {
    {"key-not-in-mode",
     Severity::error,
     RuleStage::document,
     "Every mode has its own keys; a key of another mode would be ignored.",
     "E-grammar: docs/document.md",
     "Remove the key, or choose the mode that has it."},
    {"vlan-id-reused",
     Severity::error,
     RuleStage::document,
     "Two VLANs of one network have one ID, so they would be the same VLAN with two names.",
     "E-vlan-id: IEEE 802.1Q, 9.6",
     "Give each its own ID."},
    {"vswitch-mtu-conflict",
     Severity::error,
     RuleStage::document,
     "A virtual switch of an ESXi host has one MTU for all networks on it.",
     "E-esxi-vswitch-list: esxcli network vswitch standard list",
     "Give both networks one `mtu`, or each a virtual switch of its own."},
    {"link-type-unsupported",
     Severity::error,
     RuleStage::document,
     "EN cards have no InfiniBand and no LINK_TYPE parameter, IB-only cards no Ethernet.",
     "E-link-type: Mellanox/mstflint, LINK_TYPE; how-to 'Using 40G Mellanox Infiniband single- "
     "or dual-port NICs'; E-hardware-table: docs/hardware.md",
     "Use a VPI card, or the mode that the card can run."},
    {"port-types-order",
     Severity::error,
     RuleStage::document,
     "Port 1 Ethernet with port 2 InfiniBand is not allowed on mlx4 cards and on ESX; the "
     "driver silently starts something else.",
     "E-esx-port-types: Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, installation guide "
     "rev. 1.30, 4.2.3; rdma-core, redhat/rdma.mlx4-setup.sh",
     "Swap the two ports: port 1 InfiniBand, port 2 Ethernet."},
};

// The modes that a key belongs to; keys without a row belong to all.
struct OwnKey {
  std::string_view key;
  Mode mode;
  std::string_view instead;
};

constexpr std::array<OwnKey, 7> kOwnKeys{{
    {"loopback", Mode::ethernet, "hosts forward to loopbacks in mode ethernet alone"},
    {"transit", Mode::ethernet, "nothing is routed here; hosts forward in mode ethernet"},
    {"lag", Mode::lag, "bonds are made by mode lag"},
    {"subnet_managers", Mode::infiniband, "only InfiniBand has subnet managers"},
    {"subnet_manager", Mode::infiniband, "only InfiniBand has subnet managers"},
    {"partitions", Mode::infiniband, "on Ethernet `vlans` separate traffic"},
    {"ipoib", Mode::infiniband, "on Ethernet addresses stand under `ipv4`"},
}};

void report_key(
    const NetworkSpec& network,
    std::string_view key,
    SourceRange range,
    std::string_view help,
    Diagnostics& diagnostics) {
  Diagnostic& found = diagnostics
                          .error(
                              "key-not-in-mode",
                              range,
                              fmt::format(
                                  "key '{}' has no meaning in mode {} of network {}",
                                  key,
                                  to_string(network.mode.value),
                                  network.name))
                          .with_help(std::string{help});
  // A mode that can't be read has no place.
  if (is_known(network.mode.range)) found.with_note(network.mode.range, "the mode is given here");
}

// The reason why `key` has no meaning in `mode`; nullopt if it belongs there.
std::optional<std::string_view> misplaced(std::string_view key, Mode mode) {
  // chain-subnet-manager says it better.
  if (mode == Mode::chain && key.starts_with("subnet_manager")) return std::nullopt;
  if (mode == Mode::chain && key == "vlans") {
    return "tagged frames through a chain are untested; use one subnet";
  }
  if (mode == Mode::infiniband && (key == "ipv4" || key == "ipv6")) {
    return "on InfiniBand addresses stand under `ipoib`";
  }
  if (mode == Mode::infiniband && key == "lag") {
    return "mode lag bonds Ethernet ports; here IPoIB has an active-backup bond: `ipoib: {bond: "
           "{name: ibbond0}, ...}`";
  }
  if (mode == Mode::infiniband && key == "qos") {
    return "InfiniBand loses nothing by itself: a sender waits for credits";
  }
  if (mode != Mode::ethernet && key == "vswitch") {
    return "a virtual switch has Ethernet ports";
  }
  if (mode != Mode::ethernet && mode != Mode::lag && key == "access_vlan") {
    return "the key is for Ethernet ports of switches; on InfiniBand partitions keep traffic apart";
  }
  for (const OwnKey& own : kOwnKeys) {
    if (own.key == key && own.mode != mode) return own.instead;
  }
  return std::nullopt;
}

void check_keys(const NetworkSpec& network, Diagnostics& diagnostics) {
  if (network.mode.value == Mode::chain)
    for (const IpSpec* ip : {&network.ipv4, &network.ipv6})
      if (!ip->gateway.value.empty())
        report_key(
            network,
            "gateway",
            ip->gateway.range,
            "a ring has hosts alone and no router; write the gateway at the network that has one",
            diagnostics);
  for (const auto& [key, range] : network.keys) {
    if (const auto instead = misplaced(key, network.mode.value)) {
      report_key(network, key, range, *instead, diagnostics);
    }
  }
  if (network.mode.value == Mode::infiniband) return;
  for (const VlanSpec& vlan : network.vlans) {
    if (vlan.partition.value.empty()) continue;
    report_key(
        network,
        "partition",
        vlan.partition.range,
        "only on InfiniBand a partition carries a VLAN",
        diagnostics);
  }
}

// A port has one IPoIB interface in a partition.
void check_vlan_partitions(const NetworkSpec& network, Diagnostics& diagnostics) {
  std::map<std::string, const VlanSpec*> first;
  for (const VlanSpec& vlan : network.vlans) {
    if (vlan.partition.value.empty()) continue;
    const auto [found, fresh] = first.emplace(vlan.partition.value, &vlan);
    if (fresh) continue;
    diagnostics
        .error(
            "vlan-id-reused",
            vlan.partition.range,
            fmt::format(
                "VLAN {} is in partition {} as VLAN {} is: a port has one interface there",
                vlan.name,
                vlan.partition.value,
                found->second->name))
        .with_note(found->second->partition.range, "the first")
        .with_help("give each its partition, or write both subnets at two networks");
  }
}

void check_vlan_ids(const NetworkSpec& network, Diagnostics& diagnostics) {
  if (network.mode.value == Mode::infiniband) return check_vlan_partitions(network, diagnostics);
  std::map<std::uint32_t, const VlanSpec*> first;
  VlanSpec untagged;
  untagged.name = "access_vlan";
  untagged.id = network.access_vlan;
  if (network.access_vlan.value != 0) first.emplace(network.access_vlan.value, &untagged);
  for (const VlanSpec& vlan : network.vlans) {
    const auto [found, fresh] = first.emplace(vlan.id.value, &vlan);
    if (fresh) continue;
    diagnostics
        .error(
            "vlan-id-reused",
            vlan.id.range,
            fmt::format(
                "VLAN {} has the ID {} of VLAN {}", vlan.name, vlan.id.value, found->second->name))
        .with_note(found->second->id.range, "the first");
  }
}

// The switches of the network, each once.
std::vector<const NodeSpec*> switches_of(const Context& context, const NetworkSpec& network) {
  std::vector<const NodeSpec*> switches;
  for (const PortRef& port : context.members(network)) {
    const NodeSpec* node = context.node(port);
    const bool is_new = switches.empty() || switches.back() != node;
    if (node != nullptr && is_new && is_switch(node->platform.value)) switches.push_back(node);
  }
  return switches;
}

// VLANs of the networks beside that of the link between a pair.
void check_vlan_of_link(
    const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  if (network.mode.value == Mode::infiniband) return;
  for (const NodeSpec* node : switches_of(context, network)) {
    const KeyRow* row = find_key_row(traits(node->platform.value), "nodes.*.mlag.vlan");
    if (!node->mlag || node->mlag->by_evpn() || row == nullptr ||
        !traits(node->platform.value).is_managed)
      continue;
    // Of Cumulus the link is peerlink.4094, and no key changes that (E-nvue-mlag).
    constexpr std::uint32_t kOfPeerlink = 4094;
    const bool is_chosen = row->use == KeyUse::done;
    const Sourced<std::uint32_t>& own = node->mlag->vlan;
    const std::uint32_t id = is_chosen ? link_vlan(*node->mlag) : kOfPeerlink;
    std::vector<std::pair<std::string, const Sourced<std::uint32_t>*>> vlans{
        {"access_vlan", &network.access_vlan}};
    for (const VlanSpec& vlan : network.vlans)
      vlans.emplace_back(vlan.name, &vlan.id);
    for (const auto& [name, written] : vlans) {
      if (written->value != id) continue;
      diagnostics
          .error(
              "vlan-id-reused",
              written->range,
              fmt::format(
                  "VLAN {} has the ID {} of the link between {} and {}",
                  name,
                  id,
                  node->name.str(),
                  node->mlag->peer.value))
          .about(node->name)
          .with_note(is_known(own.range) ? own.range : node->mlag->domain.range, "the link")
          .with_help(
              is_chosen ? "give the VLAN another ID, or the link another one: mlag: {vlan: 4001}"
                        : "give the VLAN another ID");
    }
  }
}

void check_mtu_of_switches(
    const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  if (network.mode.value == Mode::infiniband) return;
  for (const NodeSpec* node : switches_of(context, network)) {
    const std::uint32_t largest = traits(node->platform.value).largest_mtu;
    if (largest == 0 || network.mtu.value <= largest || network.mtu.value > kLargestMtu) continue;
    diagnostics
        .error(
            "out-of-range",
            network.mtu.range,
            fmt::format(
                "mtu {} of network {} is above {}, the maximum of {}, which is {}",
                network.mtu.value,
                network.name,
                largest,
                node->name.str(),
                traits(node->platform.value).called))
        .about(node->name)
        .with_note(node->range, "the switch")
        .with_help("9000 is the usual MTU for large frames");
  }
}

// The MTU that a switch has for all of its Ethernet ports.
void check_mtu_of_switch(const Context& context, const NodeSpec& node, Diagnostics& diagnostics) {
  if (node.mtu.value == 0) return;
  const auto report = [&](std::string_view rule, std::string message) -> Diagnostic& {
    return diagnostics.error(rule, node.mtu.range, std::move(message)).about(node.name);
  };
  const std::uint32_t largest = traits(node.platform.value).largest_mtu;
  if (largest != 0 && node.mtu.value > largest)
    report(
        "out-of-range",
        fmt::format(
            "mtu {} of {} is above {}, the maximum of {}",
            node.mtu.value,
            node.name.str(),
            largest,
            traits(node.platform.value).called))
        .with_help("9216 is the usual MTU of switches for large frames");
  bool has_ethernet = false;
  for (const auto& [name, network] : context.spec().networks) {
    const std::vector<const NodeSpec*> switches = switches_of(context, network);
    if (network.mode.value == Mode::infiniband ||
        std::find(switches.begin(), switches.end(), &node) == switches.end())
      continue;
    has_ethernet = true;
    constexpr std::uint32_t kUsual = 1500;  // of hosts that are told none
    const std::uint32_t least = network.mtu.value == 0 ? kUsual : network.mtu.value;
    if (node.mtu.value < least)
      report(
          "out-of-range",
          fmt::format(
              "mtu {} of {} is below {}, the MTU of network {}",
              node.mtu.value,
              node.name.str(),
              least,
              name))
          .with_note(network.mtu.value == 0 ? network.range : network.mtu.range, "the network")
          .with_help("raise it, or remove it: the ports have the MTU of their network then");
  }
  if (!has_ethernet)
    report(
        "key-without-effect",
        fmt::format("`mtu` of {} has no effect: it is in no Ethernet network", node.name.str()))
        .with_help("remove it; an InfiniBand port has the `mtu` of its network");
}

void check_mtu(const NetworkSpec& network, Diagnostics& diagnostics) {
  const std::uint32_t mtu = network.mtu.value;
  if (network.mode.value == Mode::infiniband || !is_known(network.mtu.range)) return;
  const std::uint32_t least = is_known(network.ipv6.range) ? kSmallestMtuOfIpv6 : kSmallestMtu;
  if (mtu >= least && mtu <= kLargestMtu) return;
  diagnostics
      .error(
          "out-of-range",
          network.mtu.range,
          fmt::format(
              "mtu {} of network {} is outside of {} to {}", mtu, network.name, least, kLargestMtu))
      .with_help("9000 is the usual MTU for large frames");
}

void check_vswitches(const Context& context, Diagnostics& diagnostics) {
  std::map<std::pair<NodeName, std::string>, const NetworkSpec*> first;
  std::set<std::pair<const NetworkSpec*, const NetworkSpec*>> told;
  for (const auto& [name, network] : context.spec().networks) {
    if (network.vswitch.value.empty()) continue;
    if (network.mode.value == Mode::ethernet && !network.keys.contains("mtu"))
      diagnostics
          .error(
              "key-without-effect",
              network.vswitch.range,
              fmt::format("`vswitch` of network {} has no effect without `mtu`", name))
          .about(name)
          .with_help("write the `mtu` that the virtual switch has to have, or remove it");
    if (network.mtu.value == 0) continue;
    for (const PortRef& port : context.members(network)) {
      const NodeSpec* node = context.node(port);
      if (node == nullptr || !traits(node->platform.value).virtual_switches) continue;
      const NetworkSpec* other =
          first.emplace(std::pair{node->name, network.vswitch.value}, &network).first->second;
      if (other->mtu.value == network.mtu.value || !told.emplace(other, &network).second) continue;
      diagnostics
          .error(
              "vswitch-mtu-conflict",
              is_known(network.mtu.range) ? network.mtu.range : network.vswitch.range,
              fmt::format(
                  "networks {} and {} give {} of {} the MTUs {} and {}",
                  other->name,
                  name,
                  network.vswitch.value,
                  node->name.str(),
                  other->mtu.value,
                  network.mtu.value))
          .about(node->name)
          .with_note(other->vswitch.range, "the other network")
          .with_help("give both networks one `mtu`");
    }
  }
}

void check_link_types(
    const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  for (const PortRef& port : context.members(network)) {
    const About about{diagnostics, port.subject()};
    const AdapterSpec* adapter = context.adapter(port);
    if (adapter == nullptr || adapter->hardware == nullptr) continue;
    const HardwareModel& model = *adapter->hardware;
    const bool ethernet = is_ethernet(network.mode.value);
    // A card that can't chain gets chain-adapter-unsupported.
    if ((ethernet ? model.ethernet : model.infiniband) || network.mode.value == Mode::chain)
      continue;
    diagnostics
        .error(
            "link-type-unsupported",
            context.use(network, port).range,
            fmt::format(
                "port {} should run {}, but {} has only {}",
                port.str(),
                ethernet ? "Ethernet" : "InfiniBand",
                model.name,
                ethernet ? "InfiniBand" : "Ethernet"))
        .with_note(adapter->model.range, "the model is given here")
        .with_note(
            network.mode.range, fmt::format("mode {} asks for it", to_string(network.mode.value)))
        .with_help("use a VPI card, or another mode");
  }
}

// (ETH, IB) on one card. The rule of the mlx4 driver, and of ESX with it.
void check_order(const AdapterUse& use, Diagnostics& diagnostics) {
  const auto first = use.ports.find(1);
  const auto second = use.ports.find(2);
  if (first == use.ports.end() || second == use.ports.end()) return;
  if (!is_ethernet(first->second.network->mode.value) ||
      is_ethernet(second->second.network->mode.value))
    return;
  const bool mlx4 =
      use.adapter->hardware != nullptr && use.adapter->hardware->driver == "mlx4_core";
  if (!mlx4 && !traits(use.node->platform.value).service_console) return;
  diagnostics
      .error(
          "port-types-order",
          second->second.range,
          fmt::format(
              "adapter {} of {} would have port 1 Ethernet and port 2 InfiniBand, which {} does "
              "not allow",
              use.adapter->name,
              use.node->name.str(),
              mlx4 ? use.adapter->hardware->name : "ESX"))
      .with_note(first->second.range, "port 1 is Ethernet here")
      .with_help("swap the two: port 1 InfiniBand, port 2 Ethernet");
}

}  // namespace

bool is_misplaced(std::string_view key, Mode mode) {
  return misplaced(key, mode).has_value();
}

RuleRows mode_rules() {
  return kModeRules;
}

void check_modes(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, network] : context.spec().networks) {
    const About about{diagnostics, name};
    check_keys(network, diagnostics);
    check_vlan_ids(network, diagnostics);
    check_vlan_of_link(context, network, diagnostics);
    check_mtu(network, diagnostics);
    check_mtu_of_switches(context, network, diagnostics);
    check_link_types(context, network, diagnostics);
  }
  check_vswitches(context, diagnostics);
  for (const auto& [name, node] : context.spec().nodes)
    if (traits(node.platform.value).is_managed) check_mtu_of_switch(context, node, diagnostics);
  for (const AdapterUse& use : context.adapters()) {
    const About about{diagnostics, use.subject()};
    check_order(use, diagnostics);
  }
}

}  // namespace fabric::rules
