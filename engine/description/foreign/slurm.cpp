// SPDX-License-Identifier: Apache-2.0
// Slurm's topology.conf and topology.yaml: the hosts below each switch. They have no ports, so
// there are no cables; their content is kept as labels.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/description/foreign/formats.hpp"
#include "engine/description/foreign/reading.hpp"
#include "engine/model/node_set.hpp"

namespace fabric::description {

namespace {

class Tree {
 public:
  // `members` is a list of Slurm's node sets.
  Result<void> put_below(
      const std::string& above,
      const std::string& label,
      std::string_view members,
      bool switches,
      std::size_t line) {
    const Result<std::vector<std::string>> names = expand_name_list(members);
    if (!names) return refusal(line, names.error().message);
    // A file of a few lines can put all nodes below each of a million switches.
    if ((put_ += names->size()) > limits::kForeignValues)
      return refusal(
          line,
          fmt::format("the lines up to here name more than {} nodes", limits::kForeignValues));
    // Counted before any node is added.
    const auto added = std::count_if(names->begin(), names->end(), [this](const std::string& name) {
      return !found_.nodes.contains(name);
    });
    if (found_.nodes.size() + static_cast<std::size_t>(added) > limits::kNodes)
      return refusal(line, fmt::format("more than {} nodes", limits::kNodes));
    for (const std::string& name : *names) {
      if (name.empty() || safe_name(name) != name)
        return refusal(line, fmt::format("'{}' is not the name of a node", name));
      Node& node = found_.nodes[name];
      node.is_switch = node.is_switch || switches;
      const auto [place, is_new] = node.labels.emplace(label, above);
      if (!is_new && place->second != above && notes_++ < limits::kForeignNotes)
        node.notes.push_back(fmt::format("line {} has this node below {} as well", line, above));
    }
    return {};
  }

  Result<void> add_switch(const std::string& name, std::size_t line) {
    if (safe_name(name) != name)
      return refusal(line, fmt::format("'{}' is not the name of a switch", name));
    found_.nodes[name].is_switch = true;
    if (found_.nodes.size() > limits::kNodes)
      return refusal(line, fmt::format("more than {} nodes", limits::kNodes));
    return {};
  }

  Result<Description> take() {
    if (found_.nodes.empty()) return refusal(1, "the file has no switch and no block");
    found_.notes.emplace_back(
        "Slurm's topology has no ports: the cables and the cards are not known.");
    return std::move(found_);
  }

 private:
  Description found_;
  std::size_t put_ = 0;
  std::size_t notes_ = 0;
};

// "SwitchName=s0 Nodes=a[1-2]" as keys in lower case; later ones win, as in Slurm.
Result<std::map<std::string, std::string>> pairs_of(std::string_view text, std::size_t line) {
  std::map<std::string, std::string> pairs;
  while (true) {
    const std::string_view word = take_word(text);
    if (word.empty()) return pairs;
    const std::size_t sign = word.find('=');
    if (sign == std::string_view::npos || sign == 0)
      return refusal(line, fmt::format("'{}' is not KEY=VALUE", word));
    const std::string key = to_lower(word.substr(0, sign));
    const bool known = key == "switchname" || key == "nodes" || key == "switches" ||
                       key == "linkspeed" || key == "blockname" || key == "blocksizes";
    if (!known) return refusal(line, fmt::format("'{}' is not a key of topology.conf", key));
    pairs[key] = word.substr(sign + 1);
  }
}

Result<void> read_pairs(
    Tree& tree, const std::map<std::string, std::string>& pairs, std::size_t line) {
  const auto get = [&pairs](const char* key) {
    const auto found = pairs.find(key);
    return found == pairs.end() ? std::string{} : found->second;
  };
  if (pairs.contains("blocksizes")) return {};
  const std::string block = get("blockname");
  if (!block.empty()) return tree.put_below(block, "block", get("nodes"), false, line);
  const std::string name = get("switchname");
  if (name.empty()) return refusal(line, "the line has neither SwitchName nor BlockName");
  FABRIC_TRY(tree.add_switch(name, line));
  if (pairs.contains("nodes"))
    FABRIC_TRY(tree.put_below(name, "switch", get("nodes"), false, line));
  if (pairs.contains("switches"))
    FABRIC_TRY(tree.put_below(name, "switch", get("switches"), true, line));
  return {};
}

Result<Description> read_conf(std::string_view text) {
  Tree tree;
  std::string joined;
  std::size_t first = 0;
  LineReader reader{text};
  while (FABRIC_TRY(reader.next())) {
    if (joined.empty()) first = reader.number();
    joined += reader.line().substr(0, reader.line().find('#'));
    if (joined.ends_with('\\')) {
      joined.back() = ' ';
      continue;
    }
    const std::map<std::string, std::string> pairs = FABRIC_TRY(pairs_of(joined, first));
    joined.clear();
    if (!pairs.empty()) FABRIC_TRY(read_pairs(tree, pairs, first));
  }
  return tree.take();
}

std::string text_of(const yaml::Node& node, const char* key) {
  const yaml::Node* found = node.find(key);
  return found == nullptr ? "" : found->text;
}

Result<void> read_unit(Tree& tree, const yaml::Node& unit, std::size_t line, bool is_block) {
  const std::string name = text_of(unit, is_block ? "block" : "switch");
  if (name.empty()) return refusal(line, "a switch or block has no name");
  if (!is_block) FABRIC_TRY(tree.add_switch(name, line));
  const std::string nodes = text_of(unit, "nodes");
  const std::string children = text_of(unit, "children");
  if (!nodes.empty())
    FABRIC_TRY(tree.put_below(name, is_block ? "block" : "switch", nodes, false, line));
  if (!children.empty()) FABRIC_TRY(tree.put_below(name, "switch", children, true, line));
  return {};
}

Result<void> read_units(
    Tree& tree, const LineNumbers& lines, const yaml::Node& units, bool blocks) {
  for (const yaml::Node& unit : units.items)
    FABRIC_TRY(read_unit(tree, unit, lines.of(unit.range.begin), blocks));
  return {};
}

// A list of topologies, each with a tree or blocks.
Result<Description> read_slurm_yaml(std::string_view text) {
  const yaml::Node root = FABRIC_TRY(read_yaml(text));
  const LineNumbers lines{text};
  Tree tree;
  for (const yaml::Node& topology : root.items) {
    if (const yaml::Node* part = topology.find("tree")) {
      if (const yaml::Node* units = part->find("switches"))
        FABRIC_TRY(read_units(tree, lines, *units, false));
    }
    if (const yaml::Node* part = topology.find("block")) {
      if (const yaml::Node* units = part->find("blocks"))
        FABRIC_TRY(read_units(tree, lines, *units, true));
    }
  }
  return tree.take();
}

}  // namespace

Result<Description> parse_slurm(std::string_view text) {
  const std::string lower = to_lower(text);
  const bool is_conf = lower.find("switchname=") != std::string::npos ||
                       lower.find("blockname=") != std::string::npos;
  return is_conf ? read_conf(text) : read_slurm_yaml(text);
}

}  // namespace fabric::description
