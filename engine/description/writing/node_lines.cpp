// SPDX-License-Identifier: Apache-2.0
#include "engine/description/writing/node_lines.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/names.hpp"
#include "engine/model/node_set.hpp"
#include "engine/model/node_set_text.hpp"

namespace fabric::description {

namespace {

// Stands in a shape for value number N of those that zip with the node's name.
constexpr char kZipped = '\x01';
// Notes of one line of nodes that are shown; the rest is counted.
constexpr std::size_t kNotesShown = 8;
// Further notes are not even counted.
constexpr std::size_t kNotesKept = 1'000;
// A longer number is a GUID or a date: two such names are no row of nodes.
constexpr std::size_t kMostDigits = 6;

// A node with what zips with its name taken out: equal shapes may share a line.
struct Shape {
  YamlTree tree = YamlTree::mapping();
  std::vector<std::string> zipped;

  void add_zipped(YamlTree& to, std::string key, const std::string& value) {
    if (value.empty()) return;
    // Raw, which no text of a source ever is.
    YamlTree& place = to.add(std::move(key), YamlTree::number(zipped.size()));
    place.scalar.insert(place.scalar.begin(), kZipped);
    zipped.push_back(value);
  }
};

YamlTree adapter_tree(const Adapter& adapter, Shape& shape) {
  YamlTree tree = YamlTree::mapping();
  tree.add_text("model", adapter.model);
  tree.add_number("ports", adapter.ports);
  if (adapter.vfs != 0) {
    YamlTree functions = YamlTree::mapping();
    functions.add_number("vfs", adapter.vfs);
    tree.add("sriov", std::move(functions));
  }
  shape.add_zipped(tree, "pci", adapter.pci);
  if (adapter.pci.empty()) shape.add_zipped(tree, "node_guid", adapter.node_guid);
  if (adapter.pci.empty() && adapter.node_guid.empty()) shape.add_zipped(tree, "mac", adapter.mac);
  if (!adapter.names.empty()) {
    YamlTree names = YamlTree::mapping();
    for (const auto& [port, name] : adapter.names)
      names.add_text(std::to_string(port), name);
    tree.add("names", std::move(names));
  }
  return tree;
}

// True if the set reads back as these values: as hexadecimal PCI addresses, "[09-10]" is eight.
bool reads_as(const std::string& set, const std::vector<std::string>& values) {
  if (set.find('[') == std::string::npos || !PciAddress::parse(values.front())) return true;
  const Result<NodeSet> read = NodeSet::parse(set, 16);
  if (!read || read->size() != values.size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (read->at(i) != values[i]) return false;
  }
  return true;
}

// Adapters that differ in their number alone, under one key.
YamlTree adapters_tree(const std::map<std::string, Adapter>& adapters, Shape& shape) {
  YamlTree tree = YamlTree::mapping();
  std::vector<std::string> names;
  for (const auto& [name, adapter] : adapters)
    names.push_back(name);
  std::ranges::sort(names, natural_less);
  for (std::size_t begin = 0; begin < names.size();) {
    std::size_t end = begin + 1;
    const Adapter& first = adapters.at(names[begin]);
    const bool plain = first.pci.empty() && first.node_guid.empty() && first.mac.empty();
    std::optional<std::size_t> place;
    const auto alike = [&first](const Adapter& other) {
      Shape one;
      Shape two;
      return flow_text(adapter_tree(first, one)) == flow_text(adapter_tree(other, two));
    };
    while (plain && end < names.size() && alike(adapters.at(names[end]))) {
      const std::optional<std::size_t> differs = one_number_apart(names[begin], names[end]);
      if (!differs || (place && *place != *differs)) break;
      place = differs;
      ++end;
    }
    const auto from = names.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::vector<std::string> run{from, names.begin() + static_cast<std::ptrdiff_t>(end)};
    tree.add(fold_as_set(run).value_or(names[begin]), adapter_tree(first, shape));
    begin = end;
  }
  return tree;
}

// Numbers as numbers, every other text as text.
YamlTree plain_values(const std::map<std::string, std::string>& values) {
  YamlTree tree = YamlTree::mapping();
  for (const auto& [key, value] : values) {
    const auto number = value.size() < kMostDigits * 2 ? parse_unsigned(value, 10) : std::nullopt;
    const bool plain = number && std::to_string(*number) == value;
    tree.add(key, plain ? YamlTree::number(*number) : YamlTree::text(value));
  }
  return tree;
}

YamlTree mlag_tree(const Mlag& mlag) {
  YamlTree tree = YamlTree::mapping();
  if (!mlag.segments.empty()) {
    tree.add_text("by", "evpn");
    tree.add("segment", plain_values(mlag.segments));
  }
  tree.add_text("domain", mlag.domain);
  tree.add_text("peer", mlag.peer);
  YamlTree ipl = YamlTree::list();
  for (const std::string& port : mlag.ipl)
    ipl.items.push_back(YamlTree::text(port));
  if (!ipl.items.empty()) tree.add("ipl", std::move(ipl));
  tree.add_text("system_mac", mlag.system_mac);
  tree.add_text("backup", mlag.backup);
  tree.add_text("vip", mlag.vip);
  tree.add_number("vlan", mlag.vlan);
  tree.add_text("address", mlag.address);
  return tree;
}

// How to log in, as far as all that are logged in to say the same.
struct Login {
  std::string user, identity_file, jump, become;
  static constexpr std::array<std::string Login::*, 4> kParts{
      &Login::user, &Login::identity_file, &Login::jump, &Login::become};
};

Login login_of(const Node& node) {
  return {node.user, node.identity_file, node.jump, node.become};
}

void add_login(YamlTree& ssh, const Login& login, std::uint32_t port) {
  ssh.add_text("user", login.user);
  ssh.add_number("port", port);
  ssh.add_text("identity_file", login.identity_file);
  ssh.add_text("jump", login.jump);
  ssh.add_text("become", login.become);
}

Shape shape_of(const std::string& name, const Node& node, const Login& common) {
  Shape shape;
  if (node.address != name) shape.add_zipped(shape.tree, "address", node.address);
  if (node.is_switch || !node.platform.empty())
    shape.tree.add_text("platform", node.platform.empty() ? "unmanaged" : node.platform);
  // A managed switch gives its own name.
  const bool unmanaged = node.platform.empty() || node.platform == "unmanaged";
  if (unmanaged) shape.tree.add_text("model", node.model);
  if (unmanaged) shape.add_zipped(shape.tree, "node_guid", node.node_guid);
  YamlTree ssh = YamlTree::mapping();
  Login own = login_of(node);
  for (std::string Login::*part : Login::kParts)
    if (own.*part == common.*part) (own.*part).clear();
  add_login(ssh, own, node.ssh_port);
  if (!ssh.entries.empty()) shape.tree.add("ssh", std::move(ssh));
  if (!node.labels.empty()) {
    YamlTree labels = YamlTree::mapping();
    for (const auto& [key, value] : node.labels)
      labels.add_text(key, value);
    shape.tree.add("labels", std::move(labels));
  }
  if (!node.sysctl.empty()) {
    shape.tree.add("sysctl", plain_values(node.sysctl));
  }
  if (!node.modules.empty()) {
    YamlTree modules = YamlTree::mapping();
    for (const auto& [driver, options] : node.modules)
      modules.add(driver, plain_values(options));
    shape.tree.add("modules", std::move(modules));
  }
  for (const Mlag& mlag : node.mlag)
    shape.tree.add("mlag", mlag_tree(mlag));
  shape.tree.add_text("state", node.state);
  if (node.adopt) shape.tree.add("adopt", YamlTree::yes_or_no(true));
  if (!node.adapters.empty()) shape.tree.add("adapters", adapters_tree(node.adapters, shape));
  return shape;
}

// Nodes under one key, in order.
struct Group {
  std::vector<std::string> names;
  const Shape* shape = nullptr;
  std::vector<std::optional<std::size_t>> places;  // of the number that differs: name, then zipped
};

bool joins(Group& group, const std::string& name, const Shape& shape) {
  std::vector<std::optional<std::size_t>> places = group.places;
  const std::string& first = group.names.front();
  const std::optional<std::size_t> differs = one_number_apart(first, name);
  if (!differs || (places[0] && *places[0] != *differs)) return false;
  if (texts_and_numbers(first)[*differs].size() > kMostDigits) return false;
  places[0] = differs;
  for (std::size_t i = 0; i < shape.zipped.size(); ++i) {
    const std::string& value = group.shape->zipped[i];
    const bool all_equal = !places[i + 1] && group.names.size() > 1;
    if (value == shape.zipped[i]) {
      if (places[i + 1]) return false;
      continue;
    }
    const std::optional<std::size_t> place = one_number_apart(value, shape.zipped[i]);
    if (!place || all_equal || (places[i + 1] && *places[i + 1] != *place)) return false;
    places[i + 1] = place;
  }
  group.places = std::move(places);
  return true;
}

class NodeWriter {
 public:
  explicit NodeWriter(const std::map<std::string, Node>& nodes) : nodes_{nodes} {
    for (const auto& [name, node] : nodes)
      names_.push_back(name);
    std::ranges::sort(names_, natural_less);
  }

  NodeLines write() {
    NodeLines lines;
    const Login common = common_login();
    YamlTree ssh = YamlTree::mapping();
    add_login(ssh, common, 0);
    if (!ssh.entries.empty()) lines.defaults.add("ssh", std::move(ssh));
    for (const std::string& name : names_)
      shapes_.emplace(name, shape_of(name, nodes_.at(name), common));
    group();
    join_groups();
    for (const Group& each : groups_)
      add_line(lines, each);
    share_adapters(lines);
    return lines;
  }

 private:
  Login common_login() const {
    Login common;
    for (std::string Login::*part : Login::kParts) {
      std::set<std::string> values;
      for (const auto& [name, node] : nodes_) {
        const bool unmanaged = node.platform.empty() || node.platform == "unmanaged";
        if (!node.is_switch || !unmanaged) values.insert(login_of(node).*part);
      }
      if (values.size() == 1) common.*part = *values.begin();
    }
    return common;
  }

  void group() {
    // By shape, then by the text of the names, so that c1 s1 c2 s2 is two lines.
    std::map<std::string, std::size_t> last;
    for (const std::string& name : names_) {
      const Shape& shape = shapes_.at(name);
      std::string kind = flow_text(shape.tree);
      for (const std::string_view part : texts_and_numbers(name))
        kind += part.empty() || part.find_first_not_of("0123456789") != std::string_view::npos
                    ? fmt::format("\n{}", part)
                    : "\n#";
      const auto found = last.find(kind);
      if (found != last.end() && joins(groups_[found->second], name, shape)) {
        groups_[found->second].names.push_back(name);
        continue;
      }
      last[kind] = groups_.size();
      groups_.push_back(
          {{name}, &shape, std::vector<std::optional<std::size_t>>(shape.zipped.size() + 1)});
    }
  }

  // The zipped values of the nodes of `each`; nullopt if they can't be written in one line.
  std::optional<std::vector<std::string>> columns_of(const Group& each) const {
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < each.shape->zipped.size(); ++i) {
      std::vector<std::string> values;
      for (const std::string& name : each.names)
        values.push_back(shapes_.at(name).zipped[i]);
      const bool all_equal =
          std::ranges::all_of(values, [&](const auto& value) { return value == values.front(); });
      const std::optional<std::string> set = all_equal ? values.front() : fold_as_set(values);
      if (!set || !reads_as(*set, values)) return std::nullopt;
      columns.push_back(*set);
    }
    return columns;
  }

  // Racks of equal nodes, r1n[1-16] and r2n[1-16], under one key.
  void join_groups() {
    std::vector<Group> joined;
    for (std::size_t begin = 0; begin < groups_.size();) {
      Group all = groups_[begin];
      std::size_t end = begin + 1;
      const std::string kind = flow_text(all.shape->tree);
      while (end < groups_.size() && groups_[end].names.size() == groups_[begin].names.size() &&
             flow_text(groups_[end].shape->tree) == kind) {
        all.names.insert(all.names.end(), groups_[end].names.begin(), groups_[end].names.end());
        ++end;
      }
      const bool fits = end > begin + 1 && fold_as_set(all.names) && columns_of(all);
      if (fits) {
        joined.push_back(std::move(all));
      } else {
        for (std::size_t i = begin; i < end; ++i)
          joined.push_back(groups_[i]);
      }
      begin = end;
    }
    groups_ = std::move(joined);
  }

  // NOLINTNEXTLINE(misc-no-recursion): a node is four deep
  static void fill(YamlTree& tree, const std::vector<std::string>& columns) {
    if (tree.kind == YamlTree::Kind::raw && tree.scalar.front() == kZipped)
      tree =
          YamlTree::text(columns[static_cast<std::size_t>(*parse_integer(tree.scalar.substr(1)))]);
    for (auto& [key, value] : tree.entries)
      fill(value, columns);
  }

  void add_line(NodeLines& lines, const Group& each) const {
    YamlTree tree = each.shape->tree.copy();
    fill(tree, columns_of(each).value_or(each.shape->zipped));
    // A note of several nodes is written once, with all their names.
    std::vector<std::pair<std::string, std::vector<std::string>>> notes;
    for (const std::string& name : each.names) {
      for (const std::string& note : nodes_.at(name).notes) {
        const auto known =
            std::ranges::find_if(notes, [&note](const auto& other) { return other.first == note; });
        if (known != notes.end()) {
          if (known->second.back() != name) known->second.push_back(name);
        } else if (notes.size() < kNotesKept) {
          notes.push_back({note, {name}});
        }
      }
    }
    for (std::size_t i = 0; i < notes.size() && i < kNotesShown; ++i)
      tree.comments.push_back(fmt::format("{}: {}", fold(notes[i].second), notes[i].first));
    const std::size_t hidden = notes.size() > kNotesShown ? notes.size() - kNotesShown : 0;
    if (hidden != 0) tree.comments.push_back(fmt::format("and {} more such notes", hidden));
    lines.nodes.add(fold_as_set(each.names).value_or(each.names.front()), std::move(tree));
  }

  // Adapters that several lines have go to a profile of their own.
  static void share_adapters(NodeLines& lines) {
    std::map<std::string, std::size_t> uses;
    const auto adapters_of = [](YamlTree& node) {
      return std::ranges::find_if(
          node.entries, [](const auto& entry) { return entry.key == "adapters"; });
    };
    for (auto& [key, node] : lines.nodes.entries) {
      const auto found = adapters_of(node);
      if (found != node.entries.end()) ++uses[flow_text(found->value)];
    }
    std::map<std::string, std::string> names;
    for (auto& [key, node] : lines.nodes.entries) {
      const auto found = adapters_of(node);
      if (found == node.entries.end()) continue;
      const std::string text = flow_text(found->value);
      if (uses[text] < 2) continue;
      auto [profile, is_new] = names.emplace(text, "host");
      if (is_new) {
        if (names.size() > 1) profile->second += std::to_string(names.size());
        YamlTree shared = YamlTree::mapping();
        shared.add("adapters", std::move(found->value));
        lines.profiles.add(profile->second, std::move(shared));
      }
      YamlTree list = YamlTree::list();
      list.items.push_back(YamlTree::text(profile->second));
      *found = {"profiles", std::move(list)};
    }
  }

  const std::map<std::string, Node>& nodes_;
  std::vector<std::string> names_;
  std::map<std::string, Shape> shapes_;
  std::vector<Group> groups_;
};

}  // namespace

NodeLines node_lines(const std::map<std::string, Node>& nodes) {
  return NodeWriter{nodes}.write();
}

}  // namespace fabric::description
