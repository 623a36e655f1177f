// SPDX-License-Identifier: Apache-2.0
#include "engine/description/writing/write.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/description/names.hpp"
#include "engine/description/writing/node_lines.hpp"
#include "engine/description/writing/yaml_text.hpp"
#include "engine/model/node_set_text.hpp"

namespace fabric::description {

namespace {

// Cables as few lines: rings, sets that zip, `for`.

constexpr std::string_view kDigits = "0123456789";

// Cables that are written as one: both ends as texts, one for each cable.
struct Row {
  std::vector<std::string> a, b;
  Cable like;  // label, length, type and speed of each
};

bool same_make(const Cable& a, const Cable& b) {
  return std::tie(a.label, a.length, a.type, a.speed) ==
         std::tie(b.label, b.length, b.type, b.speed);
}

// Hosts come before switches, and leaves, which have hosts, before the switches above them.
class Order {
 public:
  Order(const std::vector<Cable>& cables, const std::map<std::string, Node>& nodes)
      : nodes_{nodes} {
    for (const Cable& cable : cables) {
      if (is_switch(cable.a) != is_switch(cable.b))
        leaves_.insert(is_switch(cable.a) ? cable.a.node : cable.b.node);
    }
  }

  Cable turned(Cable cable) const {
    if (before(cable.b, cable.a)) std::swap(cable.a, cable.b);
    return cable;
  }

  bool cable_before(const Cable& a, const Cable& b) const {
    if (rank(a.a) != rank(b.a)) return rank(a.a) < rank(b.a);
    if (a.a.adapter != b.a.adapter) return natural_less(a.a.adapter, b.a.adapter);
    // The ports of one adapter of many hosts lead to one switch each; those of a switch do not.
    const bool by_port = !is_switch(a.a) && a.a.port != b.a.port;
    if (by_port) return natural_less(a.a.port, b.a.port);
    if (a.a.node != b.a.node) return natural_less(a.a.node, b.a.node);
    return natural_less(a.a.port, b.a.port);
  }

 private:
  bool is_switch(const End& end) const {
    const auto found = nodes_.find(end.node);
    return found != nodes_.end() && found->second.is_switch;
  }
  int rank(const End& end) const {
    if (!is_switch(end)) return 0;
    return leaves_.contains(end.node) ? 1 : 2;
  }
  bool before(const End& a, const End& b) const {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (a.node != b.node) return natural_less(a.node, b.node);
    return natural_less(a.port, b.port);
  }

  const std::map<std::string, Node>& nodes_;
  std::set<std::string> leaves_;
};

// "node/port" where the node has one adapter.
std::string endpoint_text(const End& end, const std::map<std::string, Node>& nodes) {
  const auto node = nodes.find(end.node);
  const bool only_one = node != nodes.end() && node->second.adapters.size() == 1;
  if (end.adapter.empty() || only_one) return end.node + "/" + end.port;
  return end.node + "/" + end.adapter + "/" + end.port;
}

// Takes the next name into a run of names that differ in one number, the same one for all.
bool joins_run(
    const std::string& first, const std::string& next, std::optional<std::size_t>& place) {
  const std::optional<std::size_t> differs = one_number_apart(first, next);
  if (!differs || (place && *place != *differs)) return false;
  place = differs;
  return true;
}

std::vector<Row> simple_rows(
    const std::vector<Cable>& cables, const std::map<std::string, Node>& nodes) {
  std::vector<Row> rows;
  std::optional<std::size_t> place_a;
  std::optional<std::size_t> place_b;
  for (const Cable& cable : cables) {
    std::string a = endpoint_text(cable.a, nodes);
    std::string b = endpoint_text(cable.b, nodes);
    const bool labelled = !cable.label.empty();
    if (!rows.empty() && !labelled && same_make(rows.back().like, cable)) {
      std::optional<std::size_t> next_a = place_a;
      std::optional<std::size_t> next_b = place_b;
      if (joins_run(rows.back().a.front(), a, next_a) &&
          joins_run(rows.back().b.front(), b, next_b)) {
        place_a = next_a;
        place_b = next_b;
        rows.back().a.push_back(std::move(a));
        rows.back().b.push_back(std::move(b));
        continue;
      }
    }
    place_a = place_b = std::nullopt;
    rows.push_back({{std::move(a)}, {std::move(b)}, cable});
  }
  return rows;
}

// A text without its numbers.
std::string shape(const std::string& text) {
  std::string found;
  for (const char c : text) {
    const bool is_digit = kDigits.find(c) != std::string_view::npos;
    if (!is_digit || found.empty() || found.back() != '#') found += is_digit ? '#' : c;
  }
  return found;
}

bool is_alike(const Row& one, const Row& other) {
  return one.a.size() == other.a.size() && one.like.label.empty() && other.like.label.empty() &&
         same_make(one.like, other.like) && shape(one.a.front()) == shape(other.a.front()) &&
         shape(one.b.front()) == shape(other.b.front());
}

void describe_make(YamlTree& cable, const Cable& like) {
  cable.add_text("label", like.label);
  cable.add_text("length", like.length);
  cable.add_text("type", like.type);
  const bool is_number = like.speed.find_first_not_of(kDigits) == std::string::npos;
  const auto gigabits = is_number ? parse_unsigned(like.speed, 10) : std::nullopt;
  if (gigabits) cable.add_number("speed", *gigabits);
  if (!gigabits) cable.add_text("speed", like.speed);
}

YamlTree pair_of(std::string a, std::string b) {
  YamlTree ends = YamlTree::list();
  ends.items.push_back(YamlTree::text(std::move(a)));
  ends.items.push_back(YamlTree::text(std::move(b)));
  return ends;
}

YamlTree cable_line(
    std::string a, std::string b, const Cable& like, const std::string& range = {}) {
  YamlTree cable = YamlTree::mapping();
  if (!range.empty()) {
    YamlTree variables = YamlTree::mapping();
    variables.add("i", YamlTree::text(range));
    cable.add("for", std::move(variables));
  }
  cable.add("ends", pair_of(std::move(a), std::move(b)));
  describe_make(cable, like);
  if (cable.entries.size() > 1) return cable;
  YamlTree ends = std::move(cable.entries.front().value);
  return ends;
}

// Rows [begin, end) as one pair of sets.
std::optional<YamlTree> as_sets(const std::vector<Row>& rows, std::size_t begin, std::size_t end) {
  std::vector<std::string> a;
  std::vector<std::string> b;
  for (std::size_t i = begin; i < end; ++i) {
    a.insert(a.end(), rows[i].a.begin(), rows[i].a.end());
    b.insert(b.end(), rows[i].b.begin(), rows[i].b.end());
  }
  const std::optional<std::string> set_a = fold_as_set(a);
  const std::optional<std::string> set_b = set_a ? fold_as_set(b) : std::nullopt;
  if (!set_b) return std::nullopt;
  return cable_line(*set_a, *set_b, rows[begin].like);
}

// Rows [begin, end) as one pattern with `for`: what differs is the same number everywhere.
std::optional<YamlTree> as_loop(const std::vector<Row>& rows, std::size_t begin, std::size_t end) {
  std::vector<std::string> texts;
  for (std::size_t i = begin; i < end; ++i) {
    const auto a = fold_as_set(rows[i].a);
    const auto b = fold_as_set(rows[i].b);
    if (!a || !b) return std::nullopt;
    texts.push_back(*a + " " + *b);
  }
  const std::optional<Loop> loop = loop_over(texts);
  if (!loop) return std::nullopt;
  const std::size_t blank = loop->pattern.find(' ');
  return cable_line(
      loop->pattern.substr(0, blank),
      loop->pattern.substr(blank + 1),
      rows[begin].like,
      loop->range);
}

// Not more rows than that are tried with one less each time.
constexpr std::size_t kRowsTried = 64;

// The longest run of rows from `begin` on that fits one line; a single row always does.
YamlTree longest_line(const std::vector<Row>& rows, std::size_t begin, std::size_t& end) {
  std::size_t most = begin + 1;
  while (most < rows.size() && is_alike(rows[begin], rows[most]))
    ++most;
  for (end = most; end > begin + 1;) {
    if (auto line = as_sets(rows, begin, end)) return std::move(*line);
    if (auto line = as_loop(rows, begin, end)) return std::move(*line);
    const std::size_t count = end - begin;
    end = begin + (count > kRowsTried ? count / 2 : count - 1);
  }
  end = begin + 1;
  if (auto line = as_sets(rows, begin, end)) return std::move(*line);
  return cable_line(rows[begin].a.front(), rows[begin].b.front(), rows[begin].like);
}

YamlTree ring_line(const std::vector<std::string>& ring) {
  YamlTree stations = YamlTree::list();
  const std::optional<std::string> set = fold_as_set(ring);
  for (const std::string& node : set ? std::vector<std::string>{*set} : ring)
    stations.items.push_back(YamlTree::text(node));
  YamlTree line = YamlTree::mapping();
  line.add("ring", std::move(stations));
  return line;
}

// The list under `cables`. Reading it gives every cable once; the order of its ends may differ.
YamlTree cable_lines(const std::vector<Cable>& cables, const std::map<std::string, Node>& nodes) {
  YamlTree lines = YamlTree::list();
  lines.in_block = true;
  std::vector<Cable> rest = cables;
  for (const std::vector<std::string>& ring : take_rings(rest, nodes))
    lines.items.push_back(ring_line(ring));
  const Order order{rest, nodes};
  for (Cable& cable : rest)
    cable = order.turned(std::move(cable));
  std::ranges::stable_sort(
      rest, [&order](const Cable& a, const Cable& b) { return order.cable_before(a, b); });
  const std::vector<Row> rows = simple_rows(rest, nodes);
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    lines.items.push_back(longest_line(rows, begin, end));
    begin = end;
  }
  return lines;
}

// Names or endpoints as node sets, each of those that differ in one number, in natural order.
std::vector<std::string> node_sets(std::vector<std::string> texts) {
  std::ranges::sort(texts, natural_less);
  if (texts.empty()) return {};
  if (auto all = fold_as_set(texts)) return {*std::move(all)};
  std::vector<std::string> sets;
  for (std::size_t begin = 0; begin < texts.size();) {
    std::size_t end = begin + 1;
    std::optional<std::size_t> place;
    while (end < texts.size() && joins_run(texts[begin], texts[end], place))
      ++end;
    const auto first = texts.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::vector<std::string> run{first, texts.begin() + static_cast<std::ptrdiff_t>(end)};
    sets.push_back(fold_as_set(run).value_or(texts[begin]));
    begin = end;
  }
  return sets;
}

// Endpoints as node sets, for `ports`.
YamlTree port_lines(const std::vector<End>& ports, const std::map<std::string, Node>& nodes) {
  std::vector<std::string> texts;
  for (const End& port : ports)
    texts.push_back(endpoint_text(port, nodes));
  YamlTree lines = YamlTree::list();
  for (std::string& set : node_sets(std::move(texts)))
    lines.items.push_back(YamlTree::text(std::move(set)));
  return lines;
}

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
  std::ranges::sort(
      lines, [](const auto& a, const auto& b) { return natural_less(a.first, b.first); });
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

// The number of the network's ports on this node.
std::size_t ports_of(const Network& network, const std::string& node) {
  std::size_t count = 0;
  for (const Cable& cable : network.cables)
    count += std::size_t{cable.a.node == node} + std::size_t{cable.b.node == node};
  return count + static_cast<std::size_t>(std::ranges::count_if(
                     network.ports, [&](const End& end) { return end.node == node; }));
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
    added.comments.emplace_back("Verified and never started: no source shows the manager's host.");
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
  return std::ranges::any_of(nodes, [](const auto& node) {
    const std::map<std::string, Adapter>& adapters = node.second.adapters;
    return std::ranges::any_of(
        adapters, [](const auto& adapter) { return adapter.second.assumed; });
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
