// SPDX-License-Identifier: Apache-2.0
// Mode lag, the other end: switches and hosts that a bond is cabled to.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/lag_options.hpp"
#include "engine/model/rules/context.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/model/topology/shared_bonds.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kLagPeerRules[] = {
    {"lag-peer-mismatch",
     Severity::error,
     RuleStage::document,
     "The other end of the bond must be set up the same way: LACP for 802.3ad, a static port "
     "channel for balance-xor, none for active-backup; over two switches only with MLAG, or by "
     "EVPN "
     "multihoming.",
     "E-roce-lag: Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)'; E-bonding-peer: "
     "Linux, Documentation/networking/bonding.rst, switch configuration",
     "Make both ends agree."},
    {"lag-host-to-host",
     Severity::warning,
     RuleStage::document,
     "Two hosts cabled back to back have no switch that follows a fail-over: with active-backup "
     "the ends may choose different cables, and LACP aggregates only if both ends see each "
     "other on all of them.",
     "E-bonding-peer: Linux, Documentation/networking/bonding.rst, switch configuration",
     "Use balance-rr or balance-xor between two hosts that all ports of the bond join, or two "
     "separate networks."},
    {"lag-several-hosts",
     Severity::error,
     RuleStage::document,
     "The ports of one bond end in different hosts. A bond is one link to one neighbour: it sends "
     "a frame by the port that its policy chooses, whichever host is at the other end. In a mesh "
     "of three with balance-xor two paths of six work.",
     "E-bonding-peer: Linux, Documentation/networking/bonding.rst, switch configuration",
     "Give the network `mode: ethernet` with `ipv4: {per: cable}`, or a network of mode lag for "
     "each pair."},
    {"lag-one-switch",
     Severity::info,
     RuleStage::document,
     "All ports of a bond end at one switch of an MLAG pair: when that switch is down, the host is "
     "cut off, which the pair is there to prevent.",
     "E-mlag: NVIDIA Onyx user manual, MLAG",
     "Cable one port of the host to each of the two."},
    {"segment-invalid",
     Severity::error,
     RuleStage::document,
     "An Ethernet segment is one bond: all its switches have the same id and address for it, and "
     "no other bond has them. Switches that disagree do not share the bond, and two bonds with one "
     "segment take each other's frames.",
     "E-nvue-evpn: Cumulus Linux user guide, EVPN Multihoming",
     "Give each bond one id, the same at all its switches."},
};

enum class SwitchSide { none, fixed, lacp, any };

// The switch's side that a policy needs (bonding.rst, switch configuration).
SwitchSide needed_side(std::string_view policy) {
  if (policy == "802.3ad") return SwitchSide::lacp;
  if (policy == "balance-rr" || policy == "balance-xor" || policy == "broadcast")
    return SwitchSide::fixed;
  if (policy.empty()) return SwitchSide::any;
  return SwitchSide::none;
}

// The switch's side by `port_channel`; a bare name or number leaves the kind to the policy.
SwitchSide declared_side(std::string_view text) {
  const std::string lower = to_lower(text);
  if (lower == "none") return SwitchSide::none;
  if (lower == "static" || lower == "on") return SwitchSide::fixed;
  if (lower == "lacp" || lower == "active" || lower == "passive") return SwitchSide::lacp;
  return SwitchSide::any;
}

std::string_view name_of(SwitchSide side) {
  switch (side) {
    case SwitchSide::none:
      return "no port channel";
    case SwitchSide::fixed:
      return "a static port channel";
    case SwitchSide::lacp:
    case SwitchSide::any:
      return "LACP";
  }
  return "";
}

void check_declared(const LagSpec& lag, Diagnostics& diagnostics) {
  if (lag.port_channel.value.empty() || find_bond_policy(lag.policy.value) == nullptr) return;
  const SwitchSide needed = needed_side(lag.policy.value);
  const SwitchSide declared = declared_side(lag.port_channel.value);
  const bool agrees = needed == SwitchSide::any || declared == needed ||
                      (declared == SwitchSide::any && needed != SwitchSide::none);
  if (agrees) return;
  diagnostics
      .error(
          "lag-peer-mismatch",
          lag.port_channel.range,
          fmt::format(
              "policy {} needs {} at the switch, but port_channel is {}",
              lag.policy.value,
              name_of(needed),
              lag.port_channel.value))
      .with_note(lag.policy.range, "the policy is given here")
      .with_help(
          "802.3ad goes with LACP, balance-xor with a static port channel, active-backup with "
          "none");
}

// True for several neighbours, one a host: no bond reaches them all, but one that sends each frame
// by all its ports.
bool ends_in_hosts(const Context& context, const std::map<NodeName, SourceRange>& peers) {
  return peers.size() > 1 && std::any_of(peers.begin(), peers.end(), [&](const auto& each) {
           const NodeSpec* peer = context.spec().find_node(each.first.str());
           return peer != nullptr && !is_switch(peer->platform.value);
         });
}

void report_several(
    const NetworkSpec& network,
    const NodeName& host,
    const std::map<NodeName, SourceRange>& peers,
    Diagnostics& diagnostics) {
  const auto& [last, range] = *peers.rbegin();
  diagnostics
      .error(
          "lag-several-hosts",
          range,
          fmt::format(
              "the bond of {} in network {} ends in {} and {}: a bond reaches one neighbour",
              host.str(),
              network.name,
              peers.begin()->first.str(),
              last.str()))
      .with_note(peers.begin()->second, "the first neighbour")
      .with_help(
          "write `mode: ethernet` with `ipv4: {per: cable}`, and `transit` where hosts forward for "
          "each other; or make a network of mode lag for each pair");
}

// The nodes at the other end of a node's slaves, with where the cable says so.
using Peers = std::map<NodeName, std::map<NodeName, SourceRange>>;

Peers collect_peers(const Context& context, const NetworkSpec& network) {
  Peers peers;
  for (const CableSpec& cable : network.cables) {
    for (const auto& [mine, other] :
         {std::pair{&cable.a, &cable.b}, std::pair{&cable.b, &cable.a}}) {
      const NodeSpec* node = context.node(mine->value);
      if (node != nullptr && !is_switch(node->platform.value))
        peers[mine->value.node].emplace(other->value.node, other->range);
    }
  }
  return peers;
}

// A pair whose mlag names no other switch as its peer has been reported.
bool is_unread_pair(const Context& context, const NodeSpec& node) {
  if (!node.mlag || node.mlag->by_evpn()) return false;
  const NodeSpec* peer = context.spec().find_node(node.mlag->peer.value);
  return peer == nullptr || peer == &node || !is_switch(peer->platform.value);
}

bool are_one(const NodeSpec& a, const NodeSpec& b) {
  if (!a.mlag || !b.mlag || a.mlag->by_evpn() || b.mlag->by_evpn())
    return a.mlag && b.mlag && a.mlag->by_evpn() && b.mlag->by_evpn();
  return a.mlag->peer.value == b.name.str() && b.mlag->peer.value == a.name.str();
}

bool by_evpn(const NodeSpec& node) {
  return node.mlag && node.mlag->by_evpn();
}

// Several switches answer as one only with MLAG, or by EVPN multihoming.
void check_switches(
    const Context& context,
    const NetworkSpec& network,
    const NodeName& host,
    const std::map<NodeName, SourceRange>& peers,
    Diagnostics& diagnostics) {
  const SwitchSide needed = network.lag ? needed_side(network.lag->policy.value) : SwitchSide::any;
  if (needed == SwitchSide::none || needed == SwitchSide::any || peers.size() < 2) return;
  const NodeSpec* first = context.spec().find_node(peers.begin()->first.str());
  for (const auto& [name, range] : peers) {
    const NodeSpec* peer = context.spec().find_node(name.str());
    if (first == nullptr || peer == nullptr || peer == first) continue;
    if (!is_switch(first->platform.value) || !is_switch(peer->platform.value) ||
        are_one(*first, *peer))
      continue;
    const bool follows = is_unread_pair(context, *first) || is_unread_pair(context, *peer) ||
                         ((first->mlag != nullptr) != (peer->mlag != nullptr) && !by_evpn(*first) &&
                          !by_evpn(*peer));
    if (follows) continue;  // mlag-peer-mismatch, node-unknown
    diagnostics
        .error(
            "lag-peer-mismatch",
            range,
            fmt::format(
                "the bond of {} ({}) ends in two switches, {} and {}, which are no MLAG pair",
                host.str(),
                network.lag->policy.value,
                first->name.str(),
                peer->name.str()))
        .with_note(peers.begin()->second, "the first switch")
        .with_help(
            "declare `mlag` at both switches, without a link between them `mlag: {by: evpn}`; or "
            "use active-backup, which needs nothing of them");
  }
}

using Segments = std::map<std::pair<std::string, std::int64_t>, SourceRange>;
constexpr std::size_t kMostSwitches = 4;

// Reports a bond that loses all its ports with one switch of a pair.
void check_legs(
    const Context& context,
    const NodeName& host,
    const std::map<NodeName, SourceRange>& peers,
    std::size_t ports,
    Diagnostics& diagnostics) {
  const auto& [name, range] = *peers.begin();
  const NodeSpec* peer = context.spec().find_node(name.str());
  if (peers.size() != 1 || ports < 2 || peer == nullptr || !peer->mlag || by_evpn(*peer) ||
      !is_switch(peer->platform.value) || is_unread_pair(context, *peer))
    return;
  diagnostics
      .info(
          "lag-one-switch",
          range,
          fmt::format(
              "the bond of {} ends at {} alone, which is one of a pair", host.str(), name.str()))
      .with_note(peer->mlag->peer.range, "the pair")
      .with_help(fmt::format(
          "cable one port of the bond to {}: with both ports at one switch the bond goes down with "
          "it",
          peer->mlag->peer.value));
}

// Checks that all switches of a bond give one segment, and that no two bonds have the same.
void check_segments(
    const Context& context, const NetworkSpec& network, Segments& taken, Diagnostics& diagnostics) {
  for (const SharedBond& bond : shared_bonds(context.spec(), network)) {
    const About about{diagnostics, bond.host};
    const auto [first, is_new] =
        taken.emplace(std::pair{bond.mac.value, bond.id.value}, bond.id.range);
    if (!is_new || bond.ports.size() > kMostSwitches) {
      diagnostics
          .error(
              "segment-invalid",
              bond.id.range,
              is_new ? fmt::format(
                           "the bond of {} in network {} ends in {} switches: one Ethernet segment "
                           "is of {} at most",
                           bond.host.str(),
                           network.name,
                           bond.ports.size(),
                           kMostSwitches)
                     : fmt::format(
                           "the bond of {} in network {} has segment {} of {}, as another bond has",
                           bond.host.str(),
                           network.name,
                           bond.id.value,
                           bond.mac.value))
          .with_note(first->second, "the first")
          .with_help("give each bond an id of its own: mlag: {by: evpn, segment: {swp1: 10}}");
    }
    for (const auto& [name, ports] : bond.ports) {
      const NodeSpec& node = *context.spec().find_node(name.str());
      const Sourced<std::string>& mac = node.mlag->system_mac;
      const auto id = written_segment(node, bond);
      const bool same_id = !id || id->value == bond.id.value;
      const bool same_mac = mac.value.empty() || to_lower(mac.value) == bond.mac.value;
      if (same_id && same_mac) continue;
      diagnostics
          .error(
              "segment-invalid",
              same_mac ? id->range : mac.range,
              fmt::format(
                  "the bond of {} has segment {} of {} at {}, and {} of {} elsewhere",
                  bond.host.str(),
                  id ? id->value : bond.id.value,
                  mac.value.empty() ? bond.mac.value : to_lower(mac.value),
                  name.str(),
                  bond.id.value,
                  bond.mac.value))
          .with_note(same_mac ? bond.id.range : bond.mac.range, "the other switch")
          .with_help("write the same id and address at all switches of a bond");
    }
  }
}

// By switch, the ports of the bonds that it shares with others.
using SharedPorts = std::map<NodeName, std::set<std::string>>;

// What `mlag: {by: evpn}` says of bonds that are not there.
void check_effect(const NodeSpec& node, const SharedPorts& shared, Diagnostics& diagnostics) {
  const MlagSpec& mlag = *node.mlag;
  const auto ports = shared.find(node.name);
  const auto tell = [&](Severity severity, SourceRange range, std::string what) {
    Diagnostic found{severity, "key-without-effect", range, std::move(what), {}, {}};
    found.about(node.name).with_help(
        "a bond with a channel (802.3ad, balance-xor) whose ports end at several switches with "
        "`mlag: {by: evpn}` has a segment; correct the port, or remove the key");
    diagnostics.add(std::move(found));
  };
  const bool has_ids = mlag.segment.value != 0 || !mlag.segments.empty();
  if (ports == shared.end() && (mlag.segments.empty() || mlag.segment.value != 0)) {
    // A leaf may wait for its hosts.
    tell(
        has_ids ? Severity::error : Severity::warning,
        has_ids ? mlag.segment.range : mlag.by.range,
        fmt::format(
            "`mlag.{}` of {} has no effect: no bond ends there and at another switch",
            has_ids ? "segment" : "by",
            node.name.str()));
    return;
  }
  const PlatformTraits& platform = traits(node.platform.value);
  for (const auto& [written, id] : mlag.segments) {
    const auto read = SwitchPort::parse(written);
    const std::string port =
        read ? as_called(*read, platform.port_names, node.model.value).str() : "";
    if (ports != shared.end() && ports->second.contains(port)) continue;
    tell(
        Severity::error,
        id.range,
        fmt::format(
            "`mlag.segment` of {} has no effect at {}: no bond ends there and at another switch",
            node.name.str(),
            written));
  }
}

void check_hosts(
    const Context& context,
    const NetworkSpec& network,
    const NodeName& host,
    const std::map<NodeName, SourceRange>& peers,
    Diagnostics& diagnostics) {
  if (!network.lag) return;
  const std::string& policy = network.lag->policy.value;
  if (policy != "802.3ad" && policy != "active-backup") return;
  for (const auto& [name, range] : peers) {
    const NodeSpec* peer = context.spec().find_node(name.str());
    // Each pair once, from its lower name.
    if (peer == nullptr || is_switch(peer->platform.value) || !(host < name)) continue;
    diagnostics
        .warning(
            "lag-host-to-host",
            range,
            policy == "802.3ad"
                ? fmt::format(
                      "{} and {} are cabled back to back with LACP: if one does not answer on a "
                      "cable, the bond stays up without aggregating",
                      host.str(),
                      name.str())
                : fmt::format(
                      "{} and {} are cabled back to back with active-backup: each chooses its "
                      "active cable alone, and if they differ nothing passes",
                      host.str(),
                      name.str()))
        .with_note(network.lag->policy.range, "the policy is given here")
        .with_help(
            "back to back, balance-rr and balance-xor work without an agreement between the ends");
  }
}

}  // namespace

RuleRows lag_peer_rules() {
  return kLagPeerRules;
}

void check_lag_peers(const Context& context, Diagnostics& diagnostics) {
  Segments segments;
  SharedPorts shared;
  std::set<NodeName> several;  // switches at which bonds end that end elsewhere too
  bool is_unread = false;
  for (const auto& [name, network] : context.spec().networks) {
    is_unread = is_unread || is_known(network.unread_end) || !is_known(network.mode.range);
    if (network.mode.value != Mode::lag) continue;
    for (const SharedBond& bond : shared_bonds(context.spec(), network))
      for (const auto& [at, ports] : bond.ports)
        for (const PortRef& port : ports)
          shared[at].insert(port.port);
    const About about{diagnostics, name};
    check_segments(context, network, segments, diagnostics);
    if (network.lag) check_declared(*network.lag, diagnostics);
    for (const auto& [host, peers] : collect_peers(context, network)) {
      const About one_host{diagnostics, host};
      if (peers.size() > 1 && network.lag && !switch_bond_mode(network.lag->policy.value).empty())
        for (const auto& [at, place] : peers)
          several.insert(at);
      const bool reaches_all = network.lag && network.lag->policy.value == "broadcast";
      if (ends_in_hosts(context, peers)) {
        if (!reaches_all) report_several(network, host, peers, diagnostics);
        continue;
      }
      check_switches(context, network, host, peers, diagnostics);
      const auto cables = std::count_if(
          network.cables.begin(), network.cables.end(), [&host = host](const CableSpec& cable) {
            return cable.a.value.node == host || cable.b.value.node == host;
          });
      check_legs(context, host, peers, static_cast<std::size_t>(cables), diagnostics);
      check_hosts(context, network, host, peers, diagnostics);
    }
  }
  for (const auto& [name, node] : context.spec().nodes)
    if (by_evpn(node) && !is_unread && (shared.contains(name) || !several.contains(name)))
      check_effect(node, shared, diagnostics);
}

}  // namespace fabric::rules
