// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/paths/bond_peers.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/lag_options.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/bond_faults.hpp"
#include "engine/value/lists.hpp"
#include "engine/verify/paths/endpoints.hpp"

namespace fabric::verify {

namespace {

constexpr std::string_view kNotAggregated = "bond-not-aggregated";

// The ports of one switch that the bond of one host is cabled to.
using Ends = std::map<std::pair<NodeName, NodeName>, std::vector<std::string>>;

Ends ends_of(const FabricSpec& spec, const NetworkSpec& network) {
  Ends ends;
  const auto add = [&](const PortRef& host, const PortRef& peer) {
    const auto node = spec.nodes.find(peer.node);
    if (host.adapter.empty() || !peer.adapter.empty() || node == spec.nodes.end()) return;
    const Platform platform = node->second.platform.value;
    if (!is_switch(platform) || !traits(platform).is_managed) return;
    ends[{host.node, peer.node}].push_back(peer.port);
  };
  for (const CableSpec& cable : network.cables) {
    add(cable.a.value, cable.b.value);
    add(cable.b.value, cable.a.value);
  }
  return ends;
}

// The channel that is named after one of `ports`; null if the switch was not read.
const Observation* channel_of(
    const discovery::Snapshot& snapshot,
    const NodeName& leaf,
    const std::vector<std::string>& ports) {
  for (const std::string& port : ports) {
    const Observation* found =
        snapshot.find({leaf, std::string{kinds::kBond}, switch_bond_name(port)});
    if (found != nullptr) return found;
  }
  return nullptr;
}

struct Differences {
  std::vector<std::string> texts;
  bool of_ports = false;  // LACP does not take a port into the channel
  bool now = false;       // the running settings are not what the bond needs
  bool unsaved = false;   // the running settings are right, those of the next boot are not
  std::vector<std::string_view> balance;  // hashed by the bond, not by the switch
};

std::string shown(const Reading& reading) {
  const Value* value = reading.value();
  const List* list = value == nullptr ? nullptr : value->as_list();
  if (list == nullptr) return reading.text();
  std::vector<std::string> texts;
  for (const Value& each : *list)
    texts.push_back(to_text(each));
  return texts.empty() ? "none" : join(texts, ", ");
}

class Comparison {
 public:
  Comparison(const Observation& channel, Differences& differences)
      : channel_{channel}, differences_{differences} {}

  // "MTU 1500, not 9000"
  void compare(const char* attribute, std::string_view called, const Value& wanted) {
    const auto found = channel_.attributes.find(attribute);
    if (found == channel_.attributes.end()) return;
    const std::optional<Reading>& running = found->second.running;
    if (!running || running->is_unknown()) return;
    if (!running->equals(wanted)) {
      differences_.now = true;
      differences_.texts.push_back(
          fmt::format("{} {}, not {}", called, shown(*running), shown(Reading::of(wanted))));
      return;
    }
    const std::optional<Reading>& saved = found->second.persistent;
    if (saved && !saved->is_unknown() && !saved->equals(wanted)) differences_.unsaved = true;
  }

  bool is_absent() const {
    const auto members = channel_.attributes.find("members");
    return members != channel_.attributes.end() && members->second.running &&
           members->second.running->is_absent();
  }

 private:
  const Observation& channel_;
  Differences& differences_;
};

Value sorted_members(const Observation& channel, const std::vector<std::string>& ports) {
  // In the order in which the switch is read, so that only what is there counts.
  const auto found = channel.attributes.find("members");
  const Value* value = found == channel.attributes.end() || !found->second.running
                           ? nullptr
                           : found->second.running->value();
  const List* members = value == nullptr ? nullptr : value->as_list();
  const bool same = members != nullptr && members->size() == ports.size() &&
                    std::all_of(members->begin(), members->end(), [&](const Value& member) {
                      return std::ranges::find(ports, to_text(member)) != ports.end();
                    });
  if (same) return *value;
  return to_list(ports);
}

// The two directions of a bond are spread by its two ends. Another hash loses no frame, and leaves
// links idle.
void compare_balance(
    const NetworkSpec& network, const Observation& channel, Differences& differences) {
  const std::vector<std::string_view> wanted = switch_balance_words(network.lag->hash_policy.value);
  const auto found = channel.attributes.find("balance");
  if (wanted.empty() || found == channel.attributes.end() || !found->second.running) return;
  const std::string text = shown(*found->second.running);
  const std::vector<std::string_view> words = split_words(text);
  for (const std::string_view word : wanted) {
    if (std::ranges::find(words, word) == words.end()) differences.balance.push_back(word);
  }
  if (differences.balance.empty()) return;
  differences.balance = wanted;
  differences.texts.push_back(fmt::format(
      "the switch spreads frames by {}, the bond by {}", text, network.lag->hash_policy.value));
}

Differences differences_of(
    const NetworkSpec& network, const Observation& channel, const std::vector<std::string>& ports) {
  Differences differences;
  Comparison comparison{channel, differences};
  if (comparison.is_absent()) {
    differences.now = true;
    differences.texts.emplace_back("no port channel has these ports");
    return differences;
  }
  comparison.compare("mode", "mode", std::string{switch_bond_mode(network.lag->policy.value)});
  comparison.compare("members", "members", sorted_members(channel, ports));
  comparison.compare("mtu", "MTU", std::int64_t{network.mtu.value});
  comparison.compare("bridged", "in the bridge", true);
  compare_balance(network, channel, differences);
  return differences;
}

std::string message_of(
    const NetworkSpec& network,
    const NodeName& host,
    const NodeName& leaf,
    const std::vector<std::string>& ports,
    const Differences& differences) {
  std::vector<std::string> texts = differences.texts;
  if (differences.unsaved)
    texts.push_back(fmt::format(
        "the running configuration is not saved, so the next boot of {} undoes it", leaf.str()));
  return fmt::format(
      "{} of {} and {} {} of {} do not match: {}",
      network.lag->bond.value,
      host.str(),
      ports.size() == 1 ? "port" : "ports",
      join(ports, ", "),
      leaf.str(),
      join(texts, "; "));
}

std::string help_of(const NodeName& host, const NodeName& leaf, const Differences& differences) {
  const bool plannable = differences.now || differences.unsaved;
  const bool only_ports = differences.of_ports && !plannable;
  if (!differences.balance.empty() && !plannable && !only_ports)
    return fmt::format(
        "type `port-channel load-balance ethernet {}` at {}, which is for all of its port "
        "channels, or give the bond another `hash_policy`",
        fmt::join(differences.balance, " "),
        leaf.str());
  if (only_ports)
    return fmt::format(
        "check that the bond of {} is up and in mode 802.3ad, and to which ports its cables lead",
        host.str());
  return fmt::format(
      "`fabric plan` shows the missing settings of {}, and `fabric apply` makes them", leaf.str());
}

// Adds the provider's findings about members of this channel: "leaf1: bond2: port 2 is suspended
// (...)".
void add_members(
    const NodeName& leaf,
    const std::vector<std::string>& ports,
    const Diagnostics& of_resources,
    Differences& differences) {
  for (const Diagnostic& item : of_resources.items()) {
    if (item.rule != kNotAggregated) continue;
    for (const std::string& port : ports) {
      if (item.fault.of != Subject{leaf, switch_bond_name(port)}) continue;
      differences.of_ports = true;
      differences.texts.push_back(bond_faults::text_of_members(item.fault.kind, item.fault.ports));
    }
  }
}

std::optional<Findings::Number> broken_cable_of(
    const NodeName& leaf,
    const std::vector<std::string>& ports,
    const std::vector<CableReport>& cables,
    const Findings& findings) {
  for (std::size_t i = 0; i < cables.size(); ++i) {
    for (const std::string& port : ports) {
      const PortRef end{leaf, "", port};
      if (cables[i].a != end && cables[i].b != end) continue;
      if (const auto broken = finding_of(findings.broken_cables, i)) return broken;
    }
  }
  return std::nullopt;
}

bool is_bonded_at_switches(const NetworkSpec& network) {
  return network.mode.value == Mode::lag && network.lag &&
         !switch_bond_mode(network.lag->policy.value).empty();
}

}  // namespace

bool is_of_bond_peer(const FabricSpec& spec, const Diagnostic& finding) {
  if (finding.rule != kNotAggregated) return false;
  const NodeSpec* node = spec.find_node(finding.fault.of.name);
  return node != nullptr && is_switch(node->platform.value);
}

std::map<std::pair<NodeName, std::string>, Findings::Number> add_bond_peer_findings(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const std::vector<CableReport>& cables,
    const Diagnostics& of_resources,
    Findings& findings) {
  std::map<std::pair<NodeName, std::string>, Findings::Number> explain;
  for (const auto& [name, network] : spec.networks) {
    if (!is_bonded_at_switches(network)) continue;
    for (const auto& [end, ports] : ends_of(spec, network)) {
      const auto& [host, leaf] = end;
      const Observation* channel = channel_of(snapshot, leaf, ports);
      if (channel == nullptr) continue;
      Differences differences = differences_of(network, *channel, ports);
      add_members(leaf, ports, of_resources, differences);
      const bool wrong = differences.now || differences.of_ports;
      if (differences.texts.empty() && !differences.unsaved) continue;
      const bool only_ports = differences.of_ports && !differences.now && !differences.unsaved;
      const Findings::Number number = findings.add(
          {wrong ? Severity::error : Severity::warning,
           "bond-peer-differs",
           place_of_network(spec, name),
           message_of(network, host, leaf, ports, differences),
           help_of(host, leaf, differences),
           {},
           leaf},
          only_ports ? broken_cable_of(leaf, ports, cables, findings) : std::nullopt);
      findings.also_about(number, host.str());
      if (wrong) explain.emplace(std::pair{host, name}, number);
    }
  }
  return explain;
}

namespace {

struct Bond {
  NodeName node;
  const NetworkSpec* network = nullptr;
  std::vector<PortRef> ports;
  std::vector<const Diagnostic*> found;
};

// Every bond of the document.
std::map<Subject, Bond> bonds_of(const FabricSpec& spec) {
  std::map<Subject, Bond> bonds;
  for (const auto& [name, network] : spec.networks) {
    const LagSpec* lag = lag_of(network);
    if (lag == nullptr) continue;
    for (const auto& [node, ports] : host_ports_by_node(spec, network)) {
      bonds.emplace(Subject{node, lag->bond.value}, Bond{node, &network, ports, {}});
    }
  }
  return bonds;
}

// The causes of a bond's ports without link: a broken cable, a node at the other end that was not
// reached.
struct PortCauses {
  std::optional<Findings::Number> first;
  bool at_all_ports = false;
  std::size_t dark = 0;  // ports that lead to a node which is known to be offline
};

PortCauses port_causes(
    const Bond& bond, const std::vector<CableReport>& cables, const Findings& findings) {
  PortCauses causes;
  for (const CableReport& cable : cables) {
    if (cable.state != CableState::offline) continue;
    causes.dark += static_cast<std::size_t>(std::ranges::count_if(
        bond.ports, [&cable](const PortRef& port) { return port == cable.a || port == cable.b; }));
  }
  std::size_t ports = 0;
  for (const PortRef& port : bond.ports) {
    std::optional<Findings::Number> cause;
    for (std::size_t i = 0; i < cables.size() && !cause; ++i) {
      if (cables[i].a != port && cables[i].b != port) continue;
      const PortRef& other = cables[i].a == port ? cables[i].b : cables[i].a;
      cause = finding_of(findings.broken_cables, i);
      if (!cause) cause = finding_of(findings.unreached, other.node);
    }
    if (!cause) continue;
    ++ports;
    if (!causes.first) causes.first = cause;
  }
  causes.at_all_ports = ports == bond.ports.size();
  return causes;
}

Diagnostic error_of(const Diagnostic& found) {
  return {
      Severity::error,
      found.rule,
      found.range,
      found.message,
      "look at the cable, and at the other end's LACP or channel group",
      {},
      found.subject};
}

// True for a fault that ports with a node that is down explain: slaves are down, and a bond of only
// such slaves has no partner.
bool is_expected(std::string_view fault, const Bond& bond, const PortCauses& ports) {
  if (fault == bond_faults::kSetting) return false;
  return ports.dark == bond.ports.size() || (ports.dark > 0 && fault != bond_faults::kPartner);
}

// Adds the bond's findings of this kind, unless they are expected: the first is a consequence of
// `cause`, the rest of the first. Returns the first; nullopt if there is none.
std::optional<Findings::Number> add_faults(
    std::string_view fault,
    const Bond& bond,
    const PortCauses& ports,
    std::optional<Findings::Number> cause,
    Findings& findings) {
  std::optional<Findings::Number> first;
  if (is_expected(fault, bond, ports)) return first;
  for (const Diagnostic* found : bond.found) {
    if (found->fault.kind != fault) continue;
    const Findings::Number number = findings.add(error_of(*found), first ? first : cause);
    if (!first) first = number;
  }
  return first;
}

void add_bond(
    const Bond& bond,
    const PortCauses& ports,
    std::optional<Findings::Number> peer,
    Findings& findings) {
  const auto add = [&](std::string_view fault, std::optional<Findings::Number> cause) {
    return add_faults(fault, bond, ports, cause, findings);
  };
  const auto link = add(bond_faults::kLink, ports.first);
  const auto partner = add(bond_faults::kPartner, ports.at_all_ports ? ports.first : peer);
  const auto of_ports = link ? link : ports.first ? ports.first : peer;
  const auto aggregation = add(bond_faults::kAggregation, partner ? partner : of_ports);
  add(bond_faults::kSetting, std::nullopt);
  // A bond goes on over the ports that are left, so a slave that is down explains no lost path.
  const auto broken = partner ? partner : (link || ports.first ? std::nullopt : aggregation);
  if (broken) findings.unaggregated.emplace(std::pair{bond.node, bond.network->name}, *broken);
}

}  // namespace

void add_bond_findings(
    const FabricSpec& spec,
    const std::vector<CableReport>& cables,
    const Diagnostics& of_resources,
    const std::map<std::pair<NodeName, std::string>, Findings::Number>& peers,
    Findings& findings) {
  std::map<Subject, Bond> bonds = bonds_of(spec);
  for (const Diagnostic& item : of_resources.items()) {
    if (item.rule != "bond-not-aggregated" || is_of_bond_peer(spec, item)) continue;
    const auto bond = bonds.find(item.fault.of);
    if (bond == bonds.end()) {
      findings.add(error_of(item));
    } else {
      bond->second.found.push_back(&item);
    }
  }
  for (const auto& [of, bond] : bonds) {
    if (bond.found.empty()) continue;
    const auto peer = finding_of(peers, std::pair{bond.node, bond.network->name});
    add_bond(bond, port_causes(bond, cables, findings), peer, findings);
  }
}

}  // namespace fabric::verify
