// SPDX-License-Identifier: Apache-2.0
// Nodes: names that must exist, ways to reach them, pairs of switches.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/address.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/model/platform_keys.hpp"
#include "engine/model/rules/context.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/model/topology/failure_domains.hpp"
#include "engine/model/topology/shared_bonds.hpp"

namespace fabric::rules {

namespace {

// Checks a value that must be equal at both switches of a pair.
template <class Written>
void check_same(
    const NodeSpec& node,
    const NodeSpec& peer,
    Written MlagSpec::*key,
    const char* name,
    Diagnostics& diagnostics) {
  const Written& one = (*node.mlag).*key;
  const Written& other = (*peer.mlag).*key;
  if (one.value == other.value) return;
  const bool is_here = is_known(other.range);
  diagnostics
      .error(
          "mlag-peer-mismatch",
          is_here ? other.range : one.range,
          fmt::format(
              "mlag.{} of {} is not that of its peer {}", name, peer.name.str(), node.name.str()))
      .with_note(is_here && is_known(one.range) ? one.range : node.range, "the peer is here")
      .with_help("write the same value at both switches");
}

void check_addresses(const NodeSpec& node, const NodeSpec& peer, Diagnostics& diagnostics) {
  const Sourced<std::string>& one = node.mlag->address;
  const Sourced<std::string>& other = peer.mlag->address;
  if (one.value.empty() && other.value.empty()) return;
  const SourceRange place = is_known(other.range) ? other.range : one.range;
  if (one.value.empty() || other.value.empty()) {
    diagnostics
        .error(
            "mlag-peer-mismatch",
            place,
            fmt::format(
                "mlag.address is written at {} and not at its peer {}",
                (one.value.empty() ? peer : node).name.str(),
                (one.value.empty() ? node : peer).name.str()))
        .with_help("write mlag.address at both switches, or at neither");
    return;
  }
  const Result<Subnet> mine = Subnet::of_address(one.value);
  const Result<Subnet> theirs = Subnet::of_address(other.value);
  if (mine && theirs && *mine == *theirs && one.value != other.value) return;
  diagnostics
      .error(
          "mlag-peer-mismatch",
          place,
          fmt::format(
              "mlag.address is {} at {} and {} at {}: these are not two addresses of one subnet",
              one.value,
              node.name.str(),
              other.value,
              peer.name.str()))
      .with_help("write two addresses of one subnet: 192.168.255.253/30 and 192.168.255.254/30");
}

// The ports between the two are the pair's, and of no network.
void check_link(const Context& context, const NodeSpec& node, Diagnostics& diagnostics) {
  const PlatformTraits& platform = traits(node.platform.value);
  std::map<std::string, SourceRange> first;
  for (const Sourced<std::string>& written : node.mlag->ipl) {
    const std::optional<SwitchPort> read = SwitchPort::parse(written.value);
    if (!read) {
      diagnostics
          .error(
              "port-unknown",
              written.range,
              fmt::format("'{}' is not a port of {}", written.value, node.name.str()))
          .with_help("write the ports of the link as `cables` have them: swp49, 1/31 or 49");
      continue;
    }
    const SwitchPort port = as_called(*read, platform.port_names, node.model.value);
    if (std::string why = why_no_port(port, written.value, platform, node.model.value);
        !why.empty()) {
      diagnostics
          .error(
              "port-unknown",
              written.range,
              fmt::format("'{}' is not a port of {}", written.value, node.name.str()))
          .with_help(std::move(why));
    }
    if (const auto [found, is_new] = first.emplace(port.str(), written.range); !is_new)
      diagnostics
          .error(
              "port-reused",
              written.range,
              fmt::format("mlag.ipl of {} has port {} twice", node.name.str(), port.str()))
          .with_note(found->second, "the first")
          .with_help("write each port of the link once");
    const auto used = context.ports().find(PortRef{node.name, "", port.str()});
    if (used == context.ports().end()) continue;
    diagnostics
        .error(
            "port-reused",
            used->second.front().range,
            fmt::format(
                "port {} is in network {}, and belongs to the link to {}",
                used->first.str(),
                used->second.front().network->name,
                node.mlag->peer.value))
        .with_note(written.range, "mlag.ipl")
        .with_help("the ports of mlag.ipl carry all networks; use another port for the cable");
  }
}

// Refuses keys of MLAG that the node's way (a pair, or EVPN) does not have.
void check_way(const NodeSpec& node, Diagnostics& diagnostics) {
  const MlagSpec& mlag = *node.mlag;
  const auto refuse = [&](std::string_view key, SourceRange range, const char* help) {
    if (!is_known(range)) return;
    diagnostics
        .error(
            "key-not-in-mode",
            range,
            fmt::format(
                "mlag.{} of {} has no meaning with `by: {}`",
                key,
                node.name.str(),
                mlag.by_evpn() ? "evpn" : "mlag"))
        .with_help(help);
  };
  if (!mlag.by_evpn()) {
    constexpr const char* kHelp = "segments are of `mlag: {by: evpn}`; a pair numbers its channels";
    refuse("segment", mlag.segment.range, kHelp);
    if (!mlag.segments.empty()) refuse("segment", mlag.segments.begin()->second.range, kHelp);
    return;
  }
  constexpr const char* kHelp = "switches that share bonds by EVPN have no link and no domain";
  refuse("domain", mlag.domain.range, kHelp);
  refuse("peer", mlag.peer.range, kHelp);
  if (!mlag.ipl.empty()) refuse("ipl", mlag.ipl.front().range, kHelp);
  refuse("backup", mlag.backup.range, kHelp);
}

// Refuses values that a switch would refuse in the midst of an apply.
void check_values(const NodeSpec& node, Diagnostics& diagnostics) {
  const MlagSpec& mlag = *node.mlag;
  const auto refuse = [&](const char* key, const Sourced<std::string>& written, const char* what) {
    diagnostics
        .error(
            "out-of-range",
            written.range,
            fmt::format(
                "mlag.{} of {} is '{}', which is no {}", key, node.name.str(), written.value, what))
        .about(node.name);
  };
  for (const auto& [key, written] : {std::pair{"vip", &mlag.vip}, {"address", &mlag.address}}) {
    const std::size_t slash = written->value.find('/');
    const Result<Subnet> subnet = Subnet::of_address(written->value);
    const Result<IpAddress> address = IpAddress::parse(written->value.substr(0, slash));
    if (!written->value.empty() && (!subnet || !address || subnet->is_reserved(*address)))
      refuse(key, *written, "address of a host with its prefix");
  }
  if (!mlag.backup.value.empty() && !IpAddress::parse(mlag.backup.value))
    refuse("backup", mlag.backup, "address");
  const auto first = parse_unsigned(std::string_view{mlag.system_mac.value}.substr(0, 2), 16);
  const bool is_zero = mlag.system_mac.value.find_first_not_of("0:") == std::string::npos;
  if (!mlag.system_mac.value.empty() && (is_zero || (first && (*first & 1U) != 0)))
    refuse("system_mac", mlag.system_mac, "address of one system");
}

SourceRange place_of_mlag(const NodeSpec& node) {
  const WrittenKey* written = find_written(*node.written, "nodes.*.mlag");
  return written == nullptr ? node.range : written->range;
}

// What switches of ours are no pair without; once for the two. True: nothing is missing.
bool check_given(
    const NodeSpec& node,
    const NodeSpec& peer,
    const char* key,
    bool (*is_given)(const MlagSpec& mlag),
    const char* help,
    Diagnostics& diagnostics) {
  const auto lacks = [is_given](const NodeSpec& each) {
    return traits(each.platform.value).is_managed && !is_given(*each.mlag);
  };
  if (!lacks(node) && !lacks(peer)) return true;
  const NodeSpec& lacking = lacks(node) ? node : peer;
  diagnostics
      .error(
          "mlag-peer-mismatch",
          place_of_mlag(lacking),
          fmt::format(
              "the pair of {} and {} has no `mlag.{}`{}",
              node.name.str(),
              peer.name.str(),
              key,
              lacks(node) && lacks(peer) ? "" : " at " + lacking.name.str()))
      .about(lacking.name)
      .with_note((&lacking == &node ? peer : node).mlag->peer.range, "the peer is here")
      .with_help(help);
  return false;
}

// The other switch of the pair; null: there is none, which has been reported.
const NodeSpec* check_peer(const Context& context, const NodeSpec& node, Diagnostics& diagnostics) {
  const Sourced<std::string>& written = node.mlag->peer;
  const NodeSpec* peer = context.spec().find_node(written.value);
  const KeyRow* key = find_key_row(traits(node.platform.value), "nodes.*.mlag");
  const bool is_refused = key != nullptr && key->use == KeyUse::refused;  // which is told
  if (peer == nullptr || is_refused) return nullptr;
  const auto refuse = [&](std::string message, std::string help) {
    Diagnostic& found = diagnostics.error("mlag-peer-mismatch", written.range, std::move(message))
                            .about(node.name)
                            .with_help(std::move(help));
    if (peer != &node)
      found.with_note(peer->mlag ? peer->mlag->peer.range : peer->range, "the peer is here");
    return nullptr;
  };
  const auto called = [](const NodeSpec& each) {
    return fmt::format("{} is {}", each.name.str(), traits(each.platform.value).called);
  };
  const std::string& mine = node.name.str();
  const std::string& other = peer->name.str();
  const bool is_unread = !is_known(peer->platform.range) &&
                         find_written(*peer->written, "nodes.*.platform") != nullptr;
  if (is_unread) return nullptr;
  if (peer == &node || !is_switch(peer->platform.value))
    return refuse(
        fmt::format(
            "{} names {} as its mlag peer{}",
            mine,
            peer == &node ? "itself" : other,
            peer == &node ? "" : ", and " + called(*peer)),
        "write the other switch as mlag.peer");
  const NodeSpec* of_peer = peer->mlag ? context.spec().find_node(peer->mlag->peer.value) : nullptr;
  // The peer names no node at all, or itself: a finding at the peer says so.
  const bool is_told = of_peer == nullptr || of_peer == peer;
  if (peer->mlag && !peer->mlag->by_evpn() && is_told && peer != &node) return nullptr;
  if (of_peer != &node)
    return refuse(
        fmt::format(
            "{} names {} as its mlag peer, but {} does not name {}", mine, other, other, mine),
        fmt::format("add mlag: {{peer: {}}} to {}", mine, other));
  const bool differs = node.platform.value != peer->platform.value &&
                       traits(node.platform.value).is_managed &&
                       traits(peer->platform.value).is_managed;
  if (differs && node.name < peer->name)
    return refuse(
        fmt::format("{}, and its mlag peer {}: they form no pair", called(node), called(*peer)),
        "pair switches of one system, or share no bond between the two");
  return differs ? nullptr : peer;
}

// A neighbour takes two pairs of one address for one pair.
void check_system_macs(const Context& context, Diagnostics& diagnostics) {
  std::map<std::string, const NodeSpec*> first;
  for (const auto& [name, node] : context.spec().nodes) {
    if (!node.mlag || node.mlag->by_evpn() || !traits(node.platform.value).is_managed) continue;
    const NodeSpec* other_half = context.spec().find_node(node.mlag->peer.value);
    if (other_half == nullptr || !other_half->mlag || other_half->mlag->peer.value != name.str() ||
        other_half->platform.value != node.platform.value)
      continue;  // no pair, which is told
    const Sourced<std::string>& written = node.mlag->system_mac;
    const Sourced<std::string>& domain = node.mlag->domain;
    if (written.value.empty() && domain.value.empty()) continue;
    const std::string mac = written.value.empty() ? pair_mac(domain.value, node.platform.value)
                                                  : to_lower(written.value);
    const NodeSpec& other = *first.emplace(mac, &node).first->second;
    const std::string& peer = node.mlag->peer.value;
    const bool is_one =
        &other == &node || other.name.str() == peer || other.mlag->peer.value == name.str();
    if (is_one || peer < name.str()) continue;  // once for the two
    diagnostics
        .warning(
            "mlag-peer-mismatch",
            written.value.empty() ? domain.range : written.range,
            fmt::format(
                "{} and {} are of two pairs, and both use {} for LACP",
                other.name.str(),
                name.str(),
                mac))
        .about(name)
        .with_note(
            other.mlag->system_mac.value.empty() ? other.mlag->domain.range
                                                 : other.mlag->system_mac.range,
            "the other pair")
        .with_help("give each pair its own `domain`, or its own `system_mac`");
  }
}

// `mlag-peer-mismatch`, once for the two.
void check_mlag(const Context& context, const NodeSpec& node, Diagnostics& diagnostics) {
  // On a host the key itself is the mistake.
  if (!node.mlag || !is_switch(node.platform.value)) return;
  check_way(node, diagnostics);
  check_values(node, diagnostics);
  if (node.mlag->by_evpn()) return;
  if (node.mlag->peer.value.empty()) {
    diagnostics
        .error(
            "mlag-peer-mismatch",
            place_of_mlag(node),
            fmt::format("mlag of {} names no peer", node.name.str()))
        .about(node.name)
        .with_help("write both at each: mlag: {domain: rack7, peer: leaf2, ipl: [swp49, swp50]}");
    return;
  }
  check_link(context, node, diagnostics);
  const NodeSpec* peer = check_peer(context, node, diagnostics);
  if (peer == nullptr || !(node.name < peer->name)) return;
  check_same(node, *peer, &MlagSpec::system_mac, "system_mac", diagnostics);
  // If a pair needs one and lacks it, the switch has that finding (key-not-on-platform).
  const KeyRow* row = find_key_row(traits(node.platform.value), "nodes.*.mlag");
  const bool lacks = node.mlag->vip.value.empty() || peer->mlag->vip.value.empty();
  if (row == nullptr || row->needs.empty() || !lacks)
    check_same(node, *peer, &MlagSpec::vip, "vip", diagnostics);
  check_same(node, *peer, &MlagSpec::vlan, "vlan", diagnostics);
  check_addresses(node, *peer, diagnostics);
  const auto& mine = node.mlag->ipl;
  const auto& theirs = peer->mlag->ipl;
  const bool has_links = check_given(
      node,
      *peer,
      "ipl",
      [](const MlagSpec& mlag) { return !mlag.ipl.empty(); },
      "write the ports between the two at each, as ipl: [swp49, swp50]",
      diagnostics);
  if (has_links && !mine.empty() && !theirs.empty() && mine.size() != theirs.size())
    diagnostics
        .error(
            "mlag-peer-mismatch",
            theirs.front().range,
            fmt::format(
                "mlag.ipl has {} ports at {} and {} at {}: each of them has one at the other end",
                theirs.size(),
                peer->name.str(),
                mine.size(),
                node.name.str()))
        .with_note(mine.front().range, "the ports of the peer")
        .with_help("write the two ends of each cable between the two");
  const bool has_domains = check_given(
      node,
      *peer,
      "domain",
      [](const MlagSpec& mlag) { return !mlag.domain.value.empty(); },
      "write one domain at both: the address that both use for LACP follows from it",
      diagnostics);
  if (has_domains && peer->mlag->domain.value != node.mlag->domain.value) {
    diagnostics
        .error(
            "mlag-peer-mismatch",
            peer->mlag->domain.range,
            fmt::format(
                "{} is in mlag domain {} and its peer {} in {}",
                peer->name.str(),
                peer->mlag->domain.value,
                node.name.str(),
                node.mlag->domain.value))
        .with_note(node.mlag->domain.range, "the domain of the peer");
  }
}

constexpr RuleInfo kNodeRules[] = {
    {"label-missing",
     Severity::error,
     RuleStage::reader,
     "`rollout.per` names a label that a managed node does not have. The failure domain of that "
     "node is then unknown.",
     "E-grammar: docs/document.md; E-failure-domains: Kubernetes, topologyKey",
     "Label the nodes, or take `rollout.per` out."},
    {"patience-without-hook",
     Severity::warning,
     RuleStage::document,
     "`rollout.patience` is how long a hook may say \"not yet\" with exit status 75. Without "
     "`hooks.before_disruption` no hook says so, and fabric waits for no node.",
     "E-sysexits: sysexits(3)",
     "Give the command that drains a node as `hooks.before_disruption`, or take `rollout.patience` "
     "out."},
    {"ssh-via-cycle",
     Severity::error,
     RuleStage::document,
     "Nodes are reached through each other in a circle, so none of them can be reached.",
     "E-grammar: docs/document.md",
     "Let one of the nodes in the message be reached directly."},
    {"mlag-peer-mismatch",
     Severity::error,
     RuleStage::document,
     "MLAG is a pair of two switches of one system: each names the other, both the same domain, "
     "and "
     "each its ports between the two.",
     "E-mlag: NVIDIA Onyx user manual, MLAG",
     "Let both switches name each other, one domain, and the ports between them."},
    {"bundle-order",
     Severity::error,
     RuleStage::document,
     "The ESX bundles depend on each other and refuse to install in another order.",
     "E-esx-bundles: Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, installation guide "
     "rev. 1.30, 4.2",
     "List mlx4_en before ib_basic before ib_ulp."},
    {"switch-guid-invalid",
     Severity::error,
     RuleStage::document,
     "The GUID of a switch does not have its form. It would match no switch in the subnet, and "
     "OpenSM would not find it as a root.",
     "E-grammar: docs/document.md; E-ib-guid: InfiniBand Architecture 1.3, 4.1.1; "
     "ibnetdiscover(8)",
     "Write it as \"0x0002c902004048a8\"."},
    {"switch-guid-reused",
     Severity::error,
     RuleStage::document,
     "Two switches of the document have one node GUID. In a subnet every device has its own.",
     "E-ib-guid: InfiniBand Architecture 1.3, 4.1.1; ibnetdiscover(8)",
     "Correct one of the two; in a node set the GUID zips with the names."},
};

std::vector<std::string> node_names(const FabricSpec& spec) {
  std::vector<std::string> names;
  for (const auto& [name, node] : spec.nodes)
    names.push_back(name.str());
  return names;
}

// Reports `name` if it is no node of the document. `what` completes "... names 'x'".
void require_node(
    const Context& context,
    const Sourced<std::string>& name,
    std::string_view what,
    Diagnostics& diagnostics) {
  if (name.value.empty() || context.spec().find_node(name.value) != nullptr) return;
  Diagnostic& found = diagnostics.error(
      "node-unknown",
      name.range,
      fmt::format("{} names '{}', which is no node of the document", what, name.value));
  const std::string near = nearest(name.value, node_names(context.spec()));
  if (!near.empty()) found.with_help(fmt::format("did you mean '{}'?", near));
}

// How the node is reached: through a node with a login, or a jump host.
void check_way_in(const Context& context, const NodeSpec& node, Diagnostics& diagnostics) {
  const SshSpec& ssh = *node.ssh;
  if (ssh.via.value.empty()) return;
  require_node(context, ssh.via, "ssh.via of " + node.name.str(), diagnostics);
  const NodeSpec* via = context.spec().find_node(ssh.via.value);
  if (via != nullptr && !traits(via->platform.value).is_managed)
    diagnostics
        .error(
            "out-of-range",
            ssh.via.range,
            fmt::format(
                "ssh.via of {} is {}, which is {}: it has no login",
                node.name.str(),
                via->name.str(),
                traits(via->platform.value).called))
        .with_note(via->range, "the node is here")
        .with_help("name a host, or write a jump host: ssh: {jump: HOST}");
  // One of a node stands above one of `defaults`.
  const WrittenKey* one = find_written(*node.written, "nodes.*.ssh.via");
  const WrittenKey* other = find_written(*node.written, "nodes.*.ssh.jump");
  if (one == nullptr || other == nullptr || one->is_own != other->is_own) return;
  diagnostics
      .error(
          "key-conflict",
          other->range,
          fmt::format("ssh of {} has `via` and `jump`: one is the way in", node.name.str()))
      .with_note(one->range, "`via` is given here")
      .with_help("remove one of the two");
}

void check_names(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, node] : context.spec().nodes) {
    const About about{diagnostics, name};
    check_way_in(context, node, diagnostics);
    if (node.mlag)
      require_node(context, node.mlag->peer, "mlag.peer of " + name.str(), diagnostics);
  }
  const RolloutSpec& rollout = context.spec().rollout;
  for (const auto& [names, key] :
       {std::pair{&rollout.canary, "rollout.canary"},
        std::pair{&rollout.allow_no_rollback, "rollout.allow_no_rollback"},
        std::pair{&rollout.allow_mgmt_path, "rollout.allow_mgmt_path"}}) {
    for (const Sourced<std::string>& name : *names)
      require_node(context, name, key, diagnostics);
  }
  for (const auto& [name, network] : context.spec().networks) {
    const About about{diagnostics, name};
    for (const SubnetManagerPlacement& manager : network.subnet_managers) {
      require_node(context, manager.node, "a subnet manager of network " + name, diagnostics);
    }
    if (!network.subnet_manager) continue;
    for (const Sourced<std::string>& root : network.subnet_manager->roots) {
      require_node(context, root, "subnet_manager.roots of network " + name, diagnostics);
    }
    for (const Sourced<std::string>& node : network.subnet_manager->io) {
      require_node(context, node, "subnet_manager.io of network " + name, diagnostics);
    }
  }
}

// Follows `via` from every node; a walk that comes back to a node of its own path is a cycle. Every
// node is walked over once: what an earlier walk has seen is known to end.
void check_via(const Context& context, Diagnostics& diagnostics) {
  std::set<NodeName> ended;
  for (const auto& [start, first] : context.spec().nodes) {
    if (first.ssh->via.value.empty()) continue;
    std::vector<const NodeSpec*> path;
    std::set<NodeName> on_path;
    const NodeSpec* node = &first;
    while (node != nullptr && !ended.contains(node->name) && on_path.insert(node->name).second) {
      path.push_back(node);
      node =
          node->ssh->via.value.empty() ? nullptr : context.spec().find_node(node->ssh->via.value);
    }
    if (node != nullptr && on_path.contains(node->name)) {
      std::string text;
      bool in_cycle = false;
      for (const NodeSpec* each : path) {
        in_cycle = in_cycle || each == node;
        if (in_cycle) text += each->name.str() + " via ";
      }
      diagnostics
          .error(
              "ssh-via-cycle",
              node->ssh->via.range,
              fmt::format("{} can't be reached: {}{}", node->name.str(), text, node->name.str()))
          .about(node->name)
          .with_help("let one of these nodes be reached directly");
    }
    ended.insert(on_path.begin(), on_path.end());
  }
}

// Checks the node GUIDs of switches, which prove cables and name the roots of the routing.
void check_switch_guids(const Context& context, Diagnostics& diagnostics) {
  std::map<std::string, const NodeSpec*> taken;
  for (const auto& [name, node] : context.spec().nodes) {
    const About about{diagnostics, name};
    const Sourced<std::string>& written = node.node_guid;
    if (written.value.empty()) continue;
    const Result<Guid> guid = Guid::parse(written.value);
    if (!guid) {
      diagnostics
          .error(
              "switch-guid-invalid",
              written.range,
              fmt::format("node_guid of {}: {}", name.str(), guid.error().message))
          .with_help("write it as \"0x0002c902004048a8\"");
      continue;
    }
    const auto [first, fresh] = taken.emplace(guid->str(), &node);
    if (fresh) continue;
    diagnostics
        .error(
            "switch-guid-reused",
            written.range,
            fmt::format(
                "{} has the node_guid of {}, {}",
                name.str(),
                first->second->name.str(),
                guid->str()))
        .with_note(first->second->node_guid.range, "first given here")
        .with_help(
            "give each switch its own; a set of GUIDs zips with the names: "
            "\"0x0002c9020040480[1-4]\"");
  }
}

void check_bundle_order(const NodeSpec& node, Diagnostics& diagnostics) {
  if (!traits(node.platform.value).service_console) return;
  constexpr std::string_view kOrder[] = {"mlx4_en", "ib_basic", "ib_ulp"};
  std::size_t reached = 0;
  const Sourced<std::string>* latest = nullptr;
  for (const Sourced<std::string>& bundle : node.software->bundles) {
    for (std::size_t place = 0; place < std::size(kOrder); ++place) {
      if (bundle.value.find(kOrder[place]) == std::string::npos) continue;
      if (place < reached && latest != nullptr) {
        diagnostics
            .error(
                "bundle-order",
                bundle.range,
                fmt::format("bundle {} has to come before {}", bundle.value, latest->value))
            .with_note(latest->range, "the later one stands here")
            .with_help("the order is mlx4_en, ib_basic, ib_ulp");
      } else {
        reached = place;
        latest = &bundle;
      }
    }
  }
}

// Checks that every node that can be taken down has the label by which nodes are counted.
void check_failure_domains(const Context& context, Diagnostics& diagnostics) {
  const Sourced<std::string>& label = context.spec().rollout.per;
  if (label.value.empty()) return;
  std::vector<NodeName> lacking;
  std::vector<std::string> labels;
  const std::map<NodeName, std::string> cabled = label.value == kBySwitch
                                                     ? cabled_switches(context.spec())
                                                     : std::map<NodeName, std::string>{};
  for (const auto& [name, node] : context.spec().nodes) {
    for (const auto& [key, value] : node.labels)
      labels.push_back(key);
    const bool is_managed = (node.state.value == NodeState::managed || is_offline(node)) &&
                            traits(node.platform.value).is_managed;
    // Switches count with each other.
    const bool is_domain = label.value == kBySwitch && is_switch(node.platform.value);
    if (is_managed && !is_domain && !node.labels.contains(label.value) && !cabled.contains(name))
      lacking.push_back(name);
  }
  if (lacking.empty()) return;
  Diagnostic& found = diagnostics.error(
      "label-missing",
      label.range,
      fmt::format(
          "rollout.per is '{}', but {} {} no such label{}",
          label.value,
          fold(lacking),
          lacking.size() == 1 ? "has" : "have",
          label.value == kBySwitch ? " and no cable to a switch" : ""));
  const std::string near = nearest(label.value, labels);
  found.with_help(
      near.empty() || near == label.value
          ? fmt::format("give each node `labels: {{{}: ...}}`", label.value)
          : fmt::format("did you mean '{}'?", near));
}

void check_patience(const Context& context, Diagnostics& diagnostics) {
  const FabricSpec& spec = context.spec();
  if (!is_known(spec.rollout.patience.range)) return;
  const bool has_hook = !spec.hooks.before_disruption.value.empty() ||
                        std::any_of(spec.nodes.begin(), spec.nodes.end(), [](const auto& node) {
                          return !node.second.hooks->before_disruption.value.empty();
                        });
  if (has_hook) return;
  diagnostics
      .warning(
          "patience-without-hook",
          spec.rollout.patience.range,
          "rollout.patience waits for hooks that say \"not yet\", and there is no "
          "hooks.before_disruption")
      .with_help("give the command that drains a node as hooks.before_disruption");
}

}  // namespace

RuleRows node_rules() {
  return kNodeRules;
}

void check_nodes(const Context& context, Diagnostics& diagnostics) {
  check_names(context, diagnostics);
  check_failure_domains(context, diagnostics);
  check_patience(context, diagnostics);
  check_via(context, diagnostics);
  check_switch_guids(context, diagnostics);
  check_system_macs(context, diagnostics);
  for (const auto& [name, node] : context.spec().nodes) {
    const About about{diagnostics, name};
    check_mlag(context, node, diagnostics);
    check_bundle_order(node, diagnostics);
  }
}

}  // namespace fabric::rules
