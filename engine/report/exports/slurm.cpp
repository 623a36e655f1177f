// SPDX-License-Identifier: Apache-2.0
// Slurm's tree: each host below the switch that it is cabled to, switches below higher switches.
// Labels `switch` or `block`, as an import of Slurm's files writes them, are used unchanged;
// otherwise the cables decide (E-slurm-tree).
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"
#include "engine/value/json.hpp"

namespace fabric::report {

namespace {

struct Unit {
  std::vector<NodeName> nodes, children;
  std::string note;
};

struct Tree {
  std::map<std::string, Unit> switches, blocks;
  std::vector<std::string> left_out{};  // networks whose switches are in no branch
};

std::string label_of(const NodeSpec& node, const char* label) {
  const auto found = node.labels.find(label);
  return found == node.labels.end() ? std::string{} : found->second.value;
}

Tree tree_of_labels(const FabricSpec& spec) {
  Tree tree;
  for (const auto& [name, node] : spec.nodes) {
    if (!is_exported(node)) continue;
    const std::string above = label_of(node, "switch");
    const std::string block = label_of(node, "block");
    const bool on_switch = is_switch(node.platform.value);
    // A label may be any text; one that is no name could be several words of the file.
    if (!above.empty() && NodeName::parse(above))
      (on_switch ? tree.switches[above].children : tree.switches[above].nodes).push_back(name);
    if (!block.empty() && !on_switch && NodeName::parse(block))
      tree.blocks[block].nodes.push_back(name);
  }
  return tree;
}

using Neighbours = std::map<NodeName, std::map<NodeName, std::size_t>>;  // by number of cables

Neighbours neighbours_of(const FabricSpec& spec) {
  Neighbours neighbours;
  const auto counts = [&](const NodeName& name) {
    const NodeSpec* node = spec.find_node(name.str());
    return node != nullptr && is_exported(*node);
  };
  // Jobs speak over InfiniBand where there is any; another network has a tree of its own.
  const bool has_infiniband = std::ranges::any_of(spec.networks, [](const auto& each) {
    return each.second.mode.value == Mode::infiniband && !each.second.cables.empty();
  });
  for (const auto& [name, network] : spec.networks) {
    if (has_infiniband && network.mode.value != Mode::infiniband) continue;
    for (const CableSpec& cable : network.cables) {
      const NodeName& a = cable.a.value.node;
      const NodeName& b = cable.b.value.node;
      if (a == b || !counts(a) || !counts(b)) continue;
      ++neighbours[a][b];
      ++neighbours[b][a];
    }
  }
  return neighbours;
}

// Switches that are one in the tree, which has only one way up from each.
using Group = std::set<NodeName>;

const NodeName& name_of(const Group& group) {
  return *std::ranges::min_element(group, [](const auto& one, const auto& other) {
    return natural_less(one.str(), other.str());
  });
}

// Groups with a member in common become one.
std::vector<Group> joined(std::vector<Group> groups) {
  std::vector<Group> result;
  for (Group& group : groups) {
    std::erase_if(result, [&](Group& other) {
      const bool shares =
          std::ranges::any_of(other, [&](const NodeName& each) { return group.contains(each); });
      if (shares) group.merge(other);
      return shares;
    });
    result.push_back(std::move(group));
  }
  return result;
}

class CableTree {
 public:
  explicit CableTree(const FabricSpec& spec) : spec_{spec}, neighbours_{neighbours_of(spec)} {
    for (const auto& [name, node] : spec.nodes) {
      if (is_switch(node.platform.value)) switches_.insert(name);
    }
  }

  Tree take() && {
    for (const auto& [name, others] : neighbours_) {
      if (!switches_.contains(name)) put_host(name, others);
    }
    std::vector<Group> level;
    for (const NodeName& leaf : known_)
      level.push_back({leaf});
    while (!level.empty())
      level = climb(level);
    std::erase_if(tree_.switches, [](const auto& each) {
      return each.second.nodes.empty() && each.second.children.empty();
    });
    name_left_out();
    return std::move(tree_);
  }

 private:
  // Below the switch that it has the most cables to.
  void put_host(const NodeName& host, const std::map<NodeName, std::size_t>& others) {
    const NodeName* best = nullptr;
    std::size_t most = 0;
    for (const auto& [other, count] : others) {
      if (!switches_.contains(other)) continue;
      known_.insert(other);
      const bool is_first =
          count == most && best != nullptr && natural_less(other.str(), best->str());
      if (count <= most && !is_first) continue;
      best = &other;
      most = count;
    }
    if (best != nullptr) tree_.switches[best->str()].nodes.push_back(host);
  }

  // Switches at the cables of the group that no level has yet.
  Group above(const Group& below) const {
    Group up;
    for (const NodeName& member : below) {
      for (const auto& [other, count] : neighbours_.at(member)) {
        if (switches_.contains(other) && !known_.contains(other)) up.insert(other);
      }
    }
    return up;
  }

  // Puts each group below its higher group; returns the higher level.
  std::vector<Group> climb(const std::vector<Group>& level) {
    std::vector<Group> all;
    for (const Group& group : level) {
      if (Group up = above(group); !up.empty()) all.push_back(std::move(up));
    }
    std::vector<Group> groups = joined(std::move(all));
    for (const Group& group : level) {
      const Group up = above(group);
      // A leaf all of whose hosts count below another one has nothing below itself.
      const std::string child = name_of(group).str();
      if (up.empty() || !tree_.switches.contains(child)) continue;
      const auto parent = std::ranges::find_if(
          groups, [&](const Group& each) { return each.contains(*up.begin()); });
      add_child(*parent, name_of(group));
    }
    for (const Group& group : groups)
      known_.insert(group.begin(), group.end());
    return groups;
  }

  void add_child(const Group& parent, const NodeName& child) {
    Unit& unit = tree_.switches[name_of(parent).str()];
    unit.children.push_back(child);
    if (parent.size() < 2) return;
    unit.note = fmt::format(
        "{} as one switch: Slurm's tree allows one uplink a switch",
        fold(std::vector<NodeName>{parent.begin(), parent.end()}));
  }

  // A host has one switch in the tree: rails beside it are not seen by the scheduler.
  void name_left_out() {
    for (const auto& [name, network] : spec_.networks) {
      bool has_hosts = false, is_taken = false;
      for (const CableSpec& cable : network.cables) {
        for (const auto& [host, other] :
             {std::pair{&cable.a.value, &cable.b.value},
              std::pair{&cable.b.value, &cable.a.value}}) {
          if (host->adapter.empty() || !switches_.contains(other->node)) continue;
          has_hosts = true;
          const auto unit = tree_.switches.find(other->node.str());
          is_taken = is_taken || (unit != tree_.switches.end() &&
                                  std::ranges::find(unit->second.nodes, host->node) !=
                                      unit->second.nodes.end());
        }
      }
      if (has_hosts && !is_taken) tree_.left_out.push_back(name);
    }
  }

  const FabricSpec& spec_;
  Neighbours neighbours_;
  std::set<NodeName> switches_, known_;  // of all levels so far
  Tree tree_;
};

Result<Tree> tree_of(const FabricSpec& spec) {
  Tree tree = tree_of_labels(spec);
  if (tree.switches.empty() && tree.blocks.empty()) tree = CableTree{spec}.take();
  if (tree.switches.empty() && tree.blocks.empty()) {
    return Error{
        ErrorCode::invalid,
        "Slurm's topology is a tree of switches, and no host is cabled to a switch or has a label "
        "`switch` or `block`"};
  }
  return tree;
}

std::string head_of(const Tree& tree, const char* format) {
  std::string text = fmt::format("# written by fabric export {}\n", format);
  if (!tree.left_out.empty())
    text += fmt::format(
        "# left out, because a host has one switch in the tree: {}\n", fold(tree.left_out));
  return text;
}

std::string unit_line(const std::string& kind, const std::string& name, const Unit& unit) {
  std::string text;
  if (!unit.note.empty()) text += fmt::format("# {}\n", unit.note);
  text += fmt::format("{}={}", kind, name);
  if (!unit.nodes.empty()) text += " Nodes=" + fold(unit.nodes);
  if (!unit.children.empty()) text += " Switches=" + fold(unit.children);
  return text + "\n";
}

std::string unit_item(const std::string& kind, const std::string& name, const Unit& unit) {
  std::string text;
  if (!unit.note.empty()) text += fmt::format("      # {}\n", unit.note);
  text += fmt::format("      - {}: {}\n", kind, to_json(Value{name}));
  if (!unit.children.empty())
    text += fmt::format("        children: {}\n", to_json(Value{fold(unit.children)}));
  if (!unit.nodes.empty())
    text += fmt::format("        nodes: {}\n", to_json(Value{fold(unit.nodes)}));
  return text;
}

}  // namespace

Result<std::string> slurm_topology(const FabricSpec& spec) {
  const Tree tree = FABRIC_TRY(tree_of(spec));
  std::string text = head_of(tree, "slurm");
  for (const auto& [name, unit] : tree.switches)
    text += unit_line("SwitchName", name, unit);
  for (const auto& [name, unit] : tree.blocks)
    text += unit_line("BlockName", name, unit);
  return text;
}

Result<std::string> slurm_yaml_topology(const FabricSpec& spec) {
  const Tree tree = FABRIC_TRY(tree_of(spec));
  std::string text = head_of(tree, "slurm-yaml");
  if (!tree.switches.empty()) {
    text += "- topology: tree\n  cluster_default: true\n  tree:\n    switches:\n";
    for (const auto& [name, unit] : tree.switches)
      text += unit_item("switch", name, unit);
  }
  if (!tree.blocks.empty()) {
    text += "- topology: block\n";
    if (tree.switches.empty()) text += "  cluster_default: true\n";
    text += "  block:\n    blocks:\n";
    for (const auto& [name, unit] : tree.blocks)
      text += unit_item("block", name, unit);
  }
  return text;
}

}  // namespace fabric::report
