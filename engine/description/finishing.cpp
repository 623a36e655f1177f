// SPDX-License-Identifier: Apache-2.0
#include "engine/description/finishing.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/description/names.hpp"
#include "engine/description/renaming.hpp"
#include "engine/model/node_set_text.hpp"

namespace fabric::description {

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
  return std::any_of(
      description.networks.begin(), description.networks.end(), [&node](const auto& network) {
        return std::any_of(
            network.second.cables.begin(), network.second.cables.end(), [&node](const Cable& each) {
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
  const bool shown = std::any_of(
      description.networks.begin(), description.networks.end(), [](const auto& network) {
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
