// SPDX-License-Identifier: Apache-2.0
#include "engine/description/merge_parts.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/description/names.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/subnet/node_description.hpp"

namespace fabric::description {

Identities::Identities(const Description& known) {
  for (const auto& [name, node] : known.nodes) {
    by_name_.emplace(to_lower(name), name);
    by_label_[host_label(name)].push_back(name);
    if (!node.address.empty()) by_address_.emplace(to_lower(node.address), name);
    if (!node.node_guid.empty()) by_switch_guid_.emplace(node.node_guid, name);
    for (const auto& [adapter, card] : node.adapters)
      add_adapter(name, adapter, card);
  }
  for (const auto& [name, node] : known.nodes)
    for (const std::string& alias : node.aliases)
      by_name_.emplace(to_lower(alias), name);
}

void Identities::add_adapter(
    const std::string& node, const std::string& name, const Adapter& adapter) {
  if (!adapter.serial.empty()) by_serial_.emplace(adapter.serial, std::pair{node, name});
  for (const auto& [number, port] : adapter.evidence) {
    const End end{node, name, std::to_string(number)};
    if (!port.node_guid.empty()) by_node_guid_[port.node_guid].push_back(end);
    if (!port.port_guid.empty()) by_port_guid_.emplace(port.port_guid, end);
    for (const std::string& mac : port.macs)
      by_mac_[mac].push_back(end);
    for (const std::string& device : port.devices)
      by_device_[{node, device}].push_back(end);
  }
}

std::string Identities::node_by_evidence(const Node& node) const {
  const auto is_switch = by_switch_guid_.find(node.node_guid);
  if (!node.node_guid.empty() && is_switch != by_switch_guid_.end()) return is_switch->second;
  for (const auto& [name, adapter] : node.adapters) {
    for (const auto& [number, port] : adapter.evidence)
      if (const std::optional<End> end = port_by_evidence(adapter, number)) return end->node;
  }
  return {};
}

const std::vector<std::string>& Identities::nodes_by_label(const std::string& name) const {
  static const std::vector<std::string> none;
  const auto found = by_label_.find(host_label(name));
  return found == by_label_.end() ? none : found->second;
}

std::string Identities::node_by_name(const std::string& name, const Node& node) const {
  const auto named = by_name_.find(to_lower(name));
  if (named != by_name_.end()) return named->second;
  if (nodes_by_label(name).size() == 1) return nodes_by_label(name).front();
  for (const std::string& address : {to_lower(node.address), to_lower(name)}) {
    const auto found = by_address_.find(address);
    if (found != by_address_.end()) return found->second;
  }
  return {};
}

std::optional<End> Identities::port_by_evidence(
    const Adapter& adapter, std::uint32_t number) const {
  const auto told = adapter.evidence.find(number);
  if (told != adapter.evidence.end()) {
    const PortEvidence& port = told->second;
    const auto by_node = by_node_guid_.find(port.node_guid);
    const auto by_port = by_port_guid_.find(port.port_guid);
    if (!port.node_guid.empty() && by_node != by_node_guid_.end()) {
      const std::vector<End>& ends = by_node->second;
      if (ends.size() == 1) return ends.front();
      if (!port.port_guid.empty() && by_port != by_port_guid_.end()) return by_port->second;
      const auto same = std::ranges::find_if(
          ends, [number](const End& end) { return end.port == std::to_string(number); });
      if (same != ends.end()) return *same;
    }
    if (!port.port_guid.empty() && by_port != by_port_guid_.end()) return by_port->second;
    for (const std::string& mac : port.macs) {
      const auto by_mac = by_mac_.find(mac);
      if (by_mac != by_mac_.end() && by_mac->second.size() == 1) return by_mac->second.front();
    }
  }
  const auto card = by_serial_.find(adapter.serial);
  if (adapter.serial.empty() || card == by_serial_.end()) return std::nullopt;
  return End{card->second.first, card->second.second, std::to_string(number)};
}

std::optional<End> Identities::port_by_device(
    const std::string& node, const std::string& adapter, const PortEvidence* evidence) const {
  std::set<std::string> names{to_lower(adapter)};
  if (evidence != nullptr) names.insert(evidence->devices.begin(), evidence->devices.end());
  std::optional<End> found;
  for (const std::string& name : names) {
    const auto ends = by_device_.find({node, name});
    if (ends == by_device_.end()) continue;
    if (ends->second.size() > 1 || (found && *found != ends->second.front())) return std::nullopt;
    found = ends->second.front();
  }
  return found;
}

namespace {

using Other = std::function<std::optional<End>(const End&)>;

void change_addresses(Addresses& addresses, const Other& other) {
  std::map<End, std::string> changed;
  for (const auto& [end, address] : addresses.of) {
    if (const std::optional<End> now = other(end)) changed.emplace(*now, address);
  }
  addresses.of = std::move(changed);
}

void change_list(std::vector<End>& ends, const Other& other) {
  std::erase_if(ends, [&other](End& end) {
    const std::optional<End> now = other(end);
    if (now) end = *now;
    return !now;
  });
}

}  // namespace

void change_ends(Network& network, const Other& other) {
  std::erase_if(network.cables, [&other](Cable& cable) {
    const std::optional<End> a = other(cable.a);
    const std::optional<End> b = other(cable.b);
    if (!a || !b) return true;
    cable.a = *a;
    cable.b = *b;
    return false;
  });
  change_list(network.ports, other);
  std::erase_if(network.managers, [&other](Manager& manager) {
    const std::optional<End> now = other(manager.at);
    if (now) manager.at = *now;
    return !now;
  });
  for (Partition& partition : network.partitions) {
    std::erase_if(partition.members, [&other](PartitionMember& member) {
      if (!member.keyword.empty()) return false;
      const std::optional<End> now = other(member.at);
      if (now) member.at = *now;
      return !now;
    });
  }
  change_addresses(network.ipv4, other);
  change_addresses(network.ipv6, other);
  for (auto& [name, vlan] : network.vlans)
    change_addresses(vlan.ipv4, other);
  for (Ipoib& ipoib : network.ipoib) {
    change_addresses(ipoib.ipv4, other);
    change_list(ipoib.ports, other);
  }
}

bool rename_node(Description& description, const std::string& from, const std::string& to) {
  if (from == to) return true;
  if (!description.nodes.contains(from) || description.nodes.contains(to)) return false;
  auto node = description.nodes.extract(from);
  node.key() = to;
  description.nodes.insert(std::move(node));
  for (auto& [name, each] : description.nodes) {
    for (Mlag& mlag : each.mlag)
      if (mlag.peer == from) mlag.peer = to;
  }
  for (auto& [name, network] : description.networks) {
    change_ends(network, [&](End end) -> std::optional<End> {
      if (end.node == from) end.node = to;
      return end;
    });
    std::replace(network.roots.begin(), network.roots.end(), from, to);
  }
  return true;
}

namespace {

// The common label of all hosts behind each switch without a name, or of all switches around a
// switch without hosts; "" where labels differ or one has none.
std::map<std::string, std::string> labels_behind(
    const Description& description, const std::string& label) {
  std::map<std::string, std::set<std::string>> of_hosts, of_switches;
  for (const auto& [name, network] : description.networks) {
    for (const Cable& cable : network.cables) {
      for (const auto& [end, other] : {std::pair{&cable.a, &cable.b}, {&cable.b, &cable.a}}) {
        const auto node = description.nodes.find(end->node);
        const auto neighbour = description.nodes.find(other->node);
        if (node == description.nodes.end() || neighbour == description.nodes.end()) continue;
        if (!node->second.is_switch || node->second.named) continue;
        // A node without a name can't be labelled.
        if (!neighbour->second.is_switch && !neighbour->second.named) continue;
        const auto told = neighbour->second.labels.find(label);
        (neighbour->second.is_switch ? of_switches : of_hosts)[end->node].insert(
            told == neighbour->second.labels.end() ? "" : told->second);
      }
    }
  }
  of_hosts.merge(of_switches);
  std::map<std::string, std::string> behind;
  for (const auto& [node, labels] : of_hosts)
    if (labels.size() == 1) behind.emplace(node, *labels.begin());
  return behind;
}

// A switch of Slurm has no cables: it is the one behind which its hosts are.
void take_over(Description& description, const std::string& from, const std::string& to) {
  Node& node = description.nodes.at(from);
  const auto named = description.nodes.find(to);
  if (named != description.nodes.end()) {
    node.labels.insert(named->second.labels.begin(), named->second.labels.end());
    node.notes.insert(node.notes.end(), named->second.notes.begin(), named->second.notes.end());
    description.nodes.erase(named);
  }
  node.named = true;
  rename_node(description, from, to);
}

bool has_cable(const Description& description, const std::string& node) {
  return std::ranges::any_of(description.networks, [&node](const auto& network) {
    return std::ranges::any_of(network.second.cables, [&node](const Cable& each) {
      return each.a.node == node || each.b.node == node;
    });
  });
}

bool name_switches(Description& description, const std::string& label, const std::string& prefix) {
  const std::map<std::string, std::string> behind = labels_behind(description, label);
  std::map<std::string, std::size_t> uses;
  for (const auto& [node, told] : behind)
    ++uses[told];
  bool named = false;
  for (const auto& [node, told] : behind) {
    // Two switches behind the same hosts, or one that others know by cables, are not told apart.
    if (told.empty() || uses[told] > 1) continue;
    const std::string name = safe_name(prefix + told);
    const auto there = description.nodes.find(name);
    if (there != description.nodes.end() &&
        (!there->second.is_switch || has_cable(description, name)))
      continue;
    take_over(description, node, name);
    description.nodes.at(name).notes.push_back(
        fmt::format("named after the {} of its neighbours, because nothing else names it", label));
    named = true;
  }
  return named;
}

void leave_out_cabled(Network& network) {
  std::set<End> cabled;
  for (const Cable& cable : network.cables) {
    cabled.insert(cable.a);
    cabled.insert(cable.b);
  }
  std::erase_if(network.ports, [&cabled](const End& port) { return cabled.contains(port); });
}

void assume_cable(Network& network) {
  std::vector<End>& left = network.ports;
  if (network.cables.empty() && left.size() == 2 && left[0].node != left[1].node) {
    network.cables.push_back({left[0], left[1]});
    network.notes.emplace_back(
        "No LLDP shows this cable: it is assumed, because two ports are in the network.");
    left.clear();
  }
}

// An aggregate that ends in two switches shows that they are a pair: without that it would not run.
void pair_switches(Description& description, const Network& network) {
  if (network.lag.empty() || network.lag.front().policy != "802.3ad") return;
  std::map<std::string, std::set<std::string>> behind;  // by host
  for (const Cable& cable : network.cables) {
    for (const auto& [host, far] : {std::pair{&cable.a, &cable.b}, {&cable.b, &cable.a}})
      if (!host->adapter.empty() && far->adapter.empty()) behind[host->node].insert(far->node);
  }
  for (const auto& [host, switches] : behind) {
    if (switches.size() != 2) continue;
    const std::string& one = *switches.begin();
    const std::string& other = *switches.rbegin();
    for (const auto& [own, peer] : {std::pair{&one, &other}, {&other, &one}}) {
      Node& node = description.nodes.at(*own);
      const bool unmanaged = node.platform.empty() || node.platform == "unmanaged";
      if (!node.mlag.empty() || !unmanaged) continue;
      Mlag& mlag = node.mlag.emplace_back();
      mlag.domain = fmt::format("{}-{}", one, other);
      mlag.peer = *peer;
      node.notes.push_back(fmt::format(
          "CHANGE: the LACP of {} ends in {} and {}, so they are an MLAG pair; write its domain",
          host,
          one,
          other));
    }
  }
}

void say_unknown_cables(Network& network) {
  const std::vector<End>& left = network.ports;
  if (!left.empty())
    network.notes.push_back(fmt::format(
        "CHANGE: no source shows the cables of {}; write them instead of 'ports'.",
        counted(left.size(), "port")));
}

// A root has a port in its network.
void place_roots(Network& network) {
  std::set<std::string> cabled;
  for (const Cable& cable : network.cables) {
    cabled.insert(cable.a.node);
    cabled.insert(cable.b.node);
  }
  bool unknown = false;
  for (const std::string& root : network.roots) {
    if (cabled.contains(root)) continue;
    network.ports.push_back({root, "", "1"});
    unknown = true;
  }
  if (unknown)
    network.notes.emplace_back(
        "CHANGE: the switches that are roots of the routing are known by their GUIDs alone: name "
        "them, and write their cables instead of port 1.");
}

// Ports of hosts in the network, by node.
std::map<std::string, std::set<End>> host_ports(const Network& network) {
  std::map<std::string, std::set<End>> found;
  const auto add = [&found](const End& end) {
    if (!end.adapter.empty()) found[end.node].insert(end);
  };
  for (const Cable& cable : network.cables) {
    add(cable.a);
    add(cable.b);
  }
  for (const End& port : network.ports)
    add(port);
  return found;
}

// A node in place of its ports, if each of them is a member of the same kind. A member without a
// known cable is a port of the network.
void settle_members(Network& network) {
  auto ports = host_ports(network);
  for (const Partition& partition : network.partitions) {
    for (const PartitionMember& member : partition.members) {
      if (member.at.adapter.empty() || ports[member.at.node].contains(member.at)) continue;
      ports[member.at.node].insert(member.at);
      network.ports.push_back(member.at);
    }
  }
  for (Partition& partition : network.partitions) {
    std::map<std::pair<std::string, std::string>, std::size_t> members;
    for (const PartitionMember& member : partition.members)
      if (!member.at.adapter.empty()) ++members[{member.at.node, member.how}];
    std::vector<PartitionMember> settled;
    std::set<std::string> whole;
    for (PartitionMember& member : partition.members) {
      const bool is_port = !member.at.adapter.empty();
      if (is_port && members.at({member.at.node, member.how}) == ports.at(member.at.node).size()) {
        if (!whole.insert(member.at.node).second) continue;
        member.at = {member.at.node, "", ""};
      }
      settled.push_back(std::move(member));
    }
    partition.members = std::move(settled);
  }
}

// The ports with IPoIB are listed where not all have it.
void settle_ipoib(Network& network) {
  std::size_t all = 0;
  for (const auto& [node, ports] : host_ports(network))
    all += ports.size();
  for (Ipoib& ipoib : network.ipoib)
    if (ipoib.ports.size() == all) ipoib.ports.clear();
}

// What another source shows of them needs no word.
void say_what_subnets_lack(Description& description) {
  const bool shown = std::ranges::any_of(description.networks, [](const auto& network) {
    return !network.second.ipoib.empty() || !network.second.partitions.empty();
  });
  if (description.of_subnet && !shown)
    description.notes.insert(
        description.notes.begin(),
        "The subnet does not show addresses, IPoIB and partitions: add those that you need.");
}

void say_unused_ports(Description& description) {
  for (const auto& [name, network] : description.networks) {
    const auto use = [&description](const End& end) {
      const auto node = description.nodes.find(end.node);
      if (node == description.nodes.end()) return;
      node->second.linked.erase(end.adapter.empty() ? end.port : end.adapter + "/" + end.port);
    };
    for (const Cable& cable : network.cables) {
      use(cable.a);
      use(cable.b);
    }
    std::for_each(network.ports.begin(), network.ports.end(), use);
  }
  for (auto& [name, node] : description.nodes) {
    std::map<std::uint32_t, std::vector<std::string>> by_vlan;
    for (const auto& [port, vlan] : node.linked)
      by_vlan[vlan].push_back(port);
    std::string text;
    for (auto& [vlan, ports] : by_vlan) {
      text += (text.empty() ? "" : ", ") + fold(std::move(ports));
      if (vlan != 0) text += fmt::format(" (access VLAN {})", vlan);
    }
    if (!text.empty())
      node.notes.push_back(fmt::format(
          "CHANGE: no source shows the cables of these ports with a link: {}; write them into "
          "networks",
          text));
  }
}

}  // namespace

void finish(Description& description) {
  while (name_switches(description, "switch", "")) {
  }
  name_switches(description, "rack", "switch-");
  for (auto& [name, network] : description.networks) {
    leave_out_cabled(network);
    settle_members(network);
    assume_cable(network);
    settle_ipoib(network);
    pair_switches(description, network);
    say_unknown_cables(network);
    place_roots(network);
  }
  say_what_subnets_lack(description);
  say_unused_ports(description);
}

}  // namespace fabric::description
