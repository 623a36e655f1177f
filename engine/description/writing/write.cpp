// SPDX-License-Identifier: Apache-2.0
#include "engine/description/writing/write.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/description/names.hpp"
#include "engine/description/writing/cable_lines.hpp"
#include "engine/description/writing/node_lines.hpp"
#include "engine/description/writing/yaml_text.hpp"
#include "engine/model/node_set_text.hpp"

namespace fabric::description {

namespace {

constexpr const char* kSchemaLine = "# yaml-language-server: $schema=fabric.schema.json\n";

using Nodes = std::map<std::string, Node>;

std::string member_text(const End& end, const Nodes& nodes) {
  return end.port.empty() ? end.node : endpoint_text(end, nodes);
}

// Addresses by member, those that count up together under one key.
YamlTree address_map(const Addresses& addresses, const Nodes& nodes) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const auto& [end, address] : addresses.of)
    lines.emplace_back(member_text(end, nodes), address);
  std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
    return natural_less(a.first, b.first);
  });
  YamlTree tree = YamlTree::mapping();
  for (std::size_t begin = 0; begin < lines.size();) {
    std::vector<std::string> members{lines[begin].first};
    std::vector<std::string> values{lines[begin].second};
    std::optional<std::size_t> place;
    std::optional<std::size_t> place_of_value;
    std::size_t end = begin + 1;
    for (; end < lines.size(); ++end) {
      const auto differs = one_number_apart(members.front(), lines[end].first);
      const auto differs_in_value = one_number_apart(values.front(), lines[end].second);
      if (!differs || !differs_in_value || (place && place != differs) ||
          (place_of_value && place_of_value != differs_in_value))
        break;
      place = differs;
      place_of_value = differs_in_value;
      members.push_back(lines[end].first);
      values.push_back(lines[end].second);
    }
    tree.add(
        fold_as_set(members).value_or(members.front()),
        YamlTree::text(fold_as_set(values).value_or(values.front())));
    begin = end;
  }
  return tree;
}

void add_addresses(YamlTree& to, std::string key, const Addresses& addresses, const Nodes& nodes) {
  if (addresses.subnet.empty()) return;
  YamlTree tree = YamlTree::mapping();
  tree.add_text("subnet", addresses.subnet);
  if (addresses.per_port) tree.add_text("per", "port");
  if (addresses.per_cable) tree.add_text("per", "cable");
  tree.add_number("prefix", addresses.prefix);
  if (!addresses.of.empty()) tree.add("addresses", address_map(addresses, nodes));
  if (!addresses.gateway.empty()) tree.add_text("gateway", addresses.gateway);
  if (!addresses.routes.empty()) {
    YamlTree routes = YamlTree::list();
    for (const auto& [destination, via] : addresses.routes) {
      YamlTree route = YamlTree::mapping();
      route.add_text("to", destination);
      route.add_text("via", via);
      routes.items.push_back(std::move(route));
    }
    tree.add("routes", std::move(routes));
  }
  to.add(std::move(key), std::move(tree));
}

YamlTree lag_tree(const Lag& lag) {
  YamlTree tree = YamlTree::mapping();
  tree.add_text("bond", lag.bond);
  tree.add_text("policy", lag.policy);
  tree.add_number("miimon", lag.miimon);
  tree.add_number("updelay", lag.updelay);
  tree.add_number("downdelay", lag.downdelay);
  tree.add_text("lacp_rate", lag.lacp_rate);
  tree.add_text("hash_policy", lag.hash_policy);
  tree.add_text("primary", lag.primary);
  tree.add_number("min_links", lag.min_links);
  tree.add_text("ad_select", lag.ad_select);
  tree.add_text("port_channel", lag.port_channel);
  if (lag.roce) tree.add("roce", YamlTree::yes_or_no(*lag.roce));
  return tree;
}

// Of the network's ports, those of this node.
std::size_t ports_of(const Network& network, const std::string& node) {
  std::size_t count = 0;
  for (const Cable& cable : network.cables)
    count += std::size_t{cable.a.node == node} + std::size_t{cable.b.node == node};
  return count + static_cast<std::size_t>(
                     std::count_if(network.ports.begin(), network.ports.end(), [&](const End& end) {
                       return end.node == node;
                     }));
}

YamlTree manager_options(const Network& network) {
  YamlTree options = YamlTree::mapping();
  options.add_text("routing_engine", network.routing_engine);
  options.add_text("subnet_prefix", network.subnet_prefix);
  if (network.virtualization) options.add("virtualization", YamlTree::yes_or_no(true));
  if (!network.manager_options.empty()) {
    YamlTree& others = options.add("options", YamlTree::mapping());
    for (const auto& [name, value] : network.manager_options) {
      const bool* flag = value.as_bool();
      const std::int64_t* number = value.as_integer();
      if (flag != nullptr) {
        others.add(name, YamlTree::yes_or_no(*flag));
      } else if (number != nullptr && *number >= 0) {
        others.add(name, YamlTree::number(static_cast<std::uint64_t>(*number)));
      } else {
        others.add(name, YamlTree::text(to_text(value)));
      }
    }
  }
  if (network.roots.empty()) return options;
  YamlTree roots = YamlTree::list();
  for (const std::string& root : network.roots)
    roots.items.push_back(YamlTree::text(root));
  options.add("roots", std::move(roots));
  return options;
}

// Members that differ in one number alone under one key.
YamlTree members_tree(const Partition& partition, const Nodes& nodes) {
  std::map<std::string, std::vector<std::string>> by_how;
  YamlTree tree = YamlTree::mapping();
  for (const PartitionMember& member : partition.members) {
    if (member.keyword.empty()) {
      by_how[member.how].push_back(member_text(member.at, nodes));
    } else {
      tree.add_text(member.keyword, member.how);
    }
  }
  for (auto& [how, members] : by_how)
    for (const std::string& set : node_sets(std::move(members)))
      tree.add_text(set, how);
  return tree;
}

YamlTree partitions_tree(const Network& network, const Nodes& nodes) {
  YamlTree partitions = YamlTree::mapping();
  partitions.in_block = true;
  for (const Partition& partition : network.partitions) {
    YamlTree one = YamlTree::mapping();
    one.add_text("pkey", fmt::format("0x{:04x}", partition.pkey));
    if (partition.ipoib) one.add("ipoib", YamlTree::yes_or_no(true));
    if (partition.mtu != network.mtu) one.add_number("mtu", partition.mtu);
    one.add("members", members_tree(partition, nodes));
    partitions.add(partition.name, std::move(one));
  }
  return partitions;
}

YamlTree network_tree(const Network& network, const Nodes& nodes) {
  YamlTree tree = YamlTree::mapping();
  tree.in_block = true;
  tree.comments = network.notes;
  tree.add_text("mode", network.mode);
  tree.add_number("mtu", network.mtu);
  tree.add_text("vswitch", network.vswitch);
  tree.add_number("access_vlan", network.access_vlan);
  add_addresses(tree, "ipv4", network.ipv4, nodes);
  add_addresses(tree, "ipv6", network.ipv6, nodes);
  if (!network.loopback.empty()) {
    YamlTree loopback = YamlTree::mapping();
    loopback.add_text("subnet", network.loopback);
    tree.add("loopback", std::move(loopback));
  }
  if (network.transit) tree.add_text("transit", "static");
  for (const Lag& lag : network.lag)
    tree.add("lag", lag_tree(lag));
  if (!network.managers.empty()) {
    YamlTree managers = YamlTree::list();
    managers.in_block = true;
    for (const Manager& manager : network.managers) {
      YamlTree one = YamlTree::mapping();
      one.add_text("node", manager.at.node);
      if (!manager.at.adapter.empty() && ports_of(network, manager.at.node) > 1)
        one.add_text("port", manager.at.adapter + "/" + manager.at.port);
      one.add("priority", YamlTree::number(static_cast<std::uint64_t>(manager.priority)));
      managers.items.push_back(std::move(one));
    }
    tree.add("subnet_managers", std::move(managers));
  }
  YamlTree options = manager_options(network);
  if (!options.entries.empty()) tree.add("subnet_manager", std::move(options));
  if (!network.partitions.empty()) tree.add("partitions", partitions_tree(network, nodes));
  if (network.external_manager) {
    YamlTree manager = YamlTree::mapping();
    manager.add("external", YamlTree::yes_or_no(true));
    YamlTree& added = tree.add("subnet_manager", std::move(manager));
    added.comments.emplace_back("Verified and never started: nothing here says who runs it.");
  }
  for (const Ipoib& ipoib : network.ipoib) {
    YamlTree interface = YamlTree::mapping();
    interface.add_text("mode", ipoib.mode);
    interface.add_number("mtu", ipoib.mtu);
    if (!ipoib.ports.empty()) interface.add("ports", port_lines(ipoib.ports, nodes));
    add_addresses(interface, "ipv4", ipoib.ipv4, nodes);
    tree.add("ipoib", std::move(interface));
  }
  if (!network.vlans.empty()) {
    YamlTree vlans = YamlTree::mapping();
    vlans.in_block = network.vlans.size() > 1;
    for (const auto& [name, vlan] : network.vlans) {
      YamlTree one = YamlTree::mapping();
      one.add_number("id", vlan.id);
      add_addresses(one, "ipv4", vlan.ipv4, nodes);
      vlans.add(name, std::move(one));
    }
    tree.add("vlans", std::move(vlans));
  }
  if (!network.cables.empty()) tree.add("cables", cable_lines(network.cables, nodes));
  if (!network.ports.empty()) tree.add("ports", port_lines(network.ports, nodes));
  return tree;
}

void add_section(std::string& out, std::string key, YamlTree section) {
  if (section.entries.empty()) return;
  section.in_block = true;
  YamlTree tree = YamlTree::mapping();
  tree.add(std::move(key), std::move(section));
  out += "\n" + block_text(tree);
}

bool has_assumed_card(const Nodes& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const auto& node) {
    const std::map<std::string, Adapter>& adapters = node.second.adapters;
    return std::any_of(adapters.begin(), adapters.end(), [](const auto& adapter) {
      return adapter.second.assumed;
    });
  });
}

}  // namespace

std::string write_document(
    const Description& description,
    const std::string& name,
    const std::vector<std::string>& sources) {
  std::string out = kSchemaLine;
  for (const std::string& source : sources)
    out += comment_lines(fmt::format("Imported from {}.", source), 0);
  for (const std::string& note : description.notes)
    out += comment_lines(note, 0);
  if (has_assumed_card(description.nodes)) {
    out += comment_lines(
        fmt::format(
            "CHANGE: nothing says which cards some hosts have; '{}' stands for them.",
            kAssumedModel),
        0);
  }
  YamlTree head = YamlTree::mapping();
  head.add_text("apiVersion", "fabric/v1");
  head.add("name", YamlTree::text(name));
  out += block_text(head);
  NodeLines lines = node_lines(description.nodes);
  add_section(out, "defaults", std::move(lines.defaults));
  add_section(out, "profiles", std::move(lines.profiles));
  add_section(out, "nodes", std::move(lines.nodes));
  YamlTree networks = YamlTree::mapping();
  for (const auto& [network, value] : description.networks)
    networks.add(network, network_tree(value, description.nodes));
  add_section(out, "networks", std::move(networks));
  return out;
}

}  // namespace fabric::description
