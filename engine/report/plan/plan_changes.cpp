// SPDX-License-Identifier: Apache-2.0
#include "engine/report/plan/plan_changes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/printable.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/report/folding/text_template.hpp"
#include "engine/report/plan/partitions_text.hpp"

namespace fabric::report {

namespace {

using plans::PlannedChange;

constexpr std::string_view kPartitions = "partitions";

struct Row {
  const PlannedChange* change = nullptr;
  std::string values;  // "1500 -> 9000", printable
};

struct ResourceBlock {
  std::string kind, name;
  std::vector<Row> rows;
};

// Resources of one node that change in the same way.
using EqualBlocks = std::vector<ResourceBlock>;
using NodeBlocks = std::vector<EqualBlocks>;

// The nodes that change in the same way, and how each does: equal blocks but for names and
// addresses in the values.
struct Group {
  std::vector<NodeName> nodes;
  std::vector<NodeBlocks> blocks;  // of each node
};

std::map<NodeName, std::vector<ResourceBlock>> blocks_by_node(const plans::Plan& plan) {
  std::map<NodeName, std::vector<ResourceBlock>> nodes;
  for (const PlannedChange& change : plan.changes) {
    std::vector<ResourceBlock>& blocks = nodes[change.address.node];
    const bool goes_on = !blocks.empty() && blocks.back().kind == change.address.kind &&
                         blocks.back().name == change.address.name;
    if (!goes_on) blocks.push_back({change.address.kind, change.address.name, {}});
    blocks.back().rows.push_back({&change, change_text(change)});
  }
  return nodes;
}

// What may be another one in a change that is equal: nodes and resources.
std::vector<std::string> names_in(const plans::Plan& plan) {
  std::set<std::string> names;
  for (const auto& [name, node] : plan.nodes)
    names.insert(name.str());
  for (const PlannedChange& change : plan.changes)
    names.insert(change.address.name);
  return {names.begin(), names.end()};
}

// Equal for resources that are shown as one.
std::string signature(const ResourceBlock& block, const std::vector<std::string>& names) {
  std::string text = block.kind + '\n';
  for (const Row& row : block.rows) {
    const PlannedChange& change = *row.change;
    text += fmt::format(
        "{} {} {} {} {} {}\n",
        change.attribute.attribute,
        to_string(change.kind),
        to_string(change.attribute.disruption),
        change.attribute.activate,
        change.source.file,
        shape_with_numbers(take_apart(row.values, names)));
  }
  return text;
}

// Equal for nodes that are shown as one.
std::string signature(const NodeBlocks& node, const std::vector<std::string>& names) {
  std::string text;
  for (const EqualBlocks& blocks : node) {
    for (const ResourceBlock& block : blocks)
      text += block.name + ' ';
    text += signature(blocks.front(), names);
  }
  return text;
}

NodeBlocks each_alone(std::vector<ResourceBlock> blocks) {
  NodeBlocks node;
  for (ResourceBlock& block : blocks)
    node.push_back({std::move(block)});
  return node;
}

// In the order of the first of each.
NodeBlocks equal_together(
    std::vector<ResourceBlock> blocks, const std::vector<std::string>& names) {
  NodeBlocks node;
  std::map<std::string, std::size_t> known;
  for (ResourceBlock& block : blocks) {
    const auto [place, is_new] = known.emplace(signature(block, names), node.size());
    if (is_new) node.emplace_back();
    node[place->second].push_back(std::move(block));
  }
  // As their names are read: the values of a set are in this order.
  for (EqualBlocks& equal : node) {
    std::sort(equal.begin(), equal.end(), [](const ResourceBlock& a, const ResourceBlock& b) {
      return natural_less(a.name, b.name);
    });
  }
  return node;
}

// The values of a row, of each node and each of its equal resources.
std::vector<std::vector<std::string>> table_of(
    const Group& group, std::size_t blocks, std::size_t row) {
  std::vector<std::vector<std::string>> table;
  for (const NodeBlocks& node : group.blocks) {
    table.emplace_back();
    for (const ResourceBlock& block : node[blocks])
      table.back().push_back(block.rows[row].values);
  }
  return table;
}

// Whether the values of every row can be told as sets.
bool can_be_told(const Group& group, const std::vector<std::string>& names) {
  const NodeBlocks& first = group.blocks.front();
  for (std::size_t b = 0; b < first.size(); ++b) {
    for (std::size_t r = 0; r < first[b].front().rows.size(); ++r) {
      if (!zip_table(table_of(group, b, r), names)) return false;
    }
  }
  return true;
}

std::vector<NodeName> nodes_in_order(
    const plans::Plan& plan, const std::map<NodeName, std::vector<ResourceBlock>>& nodes) {
  std::vector<NodeName> order;
  for (const auto& [name, blocks] : nodes) {
    // A finding says what happened to an unreachable node; what it lacks is not known.
    const auto known = plan.nodes.find(name);
    if (known == plan.nodes.end() || known->second.reachable) order.push_back(name);
  }
  std::sort(order.begin(), order.end(), [](const NodeName& a, const NodeName& b) {
    return natural_less(a.str(), b.str());
  });
  return order;
}

std::vector<Group> groups_of(
    const plans::Plan& plan, const std::vector<std::string>& names, bool verbose) {
  std::map<NodeName, std::vector<ResourceBlock>> nodes = blocks_by_node(plan);
  std::vector<Group> groups;
  std::map<std::string, std::size_t> known;
  for (const NodeName& name : nodes_in_order(plan, nodes)) {
    NodeBlocks blocks = verbose ? each_alone(std::move(nodes[name]))
                                : equal_together(std::move(nodes[name]), names);
    const std::string key = verbose ? name.str() : signature(blocks, names);
    const auto [place, is_new] = known.emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    Group& group = groups[place->second];
    group.nodes.push_back(name);
    group.blocks.push_back(std::move(blocks));
  }
  for (Group& group : groups) {
    if (can_be_told(group, names)) continue;
    for (NodeBlocks& node : group.blocks) {
      std::vector<ResourceBlock> all;
      for (EqualBlocks& blocks : node)
        all.insert(all.end(), blocks.begin(), blocks.end());
      node = each_alone(std::move(all));
    }
  }
  return groups;
}

bool reboots(const PlannedChange& change) {
  return change.attribute.disruption >= Disruption::reboot && change.attribute.activate;
}

// "fabric.yaml:7 and 3 more": where the document asks for a row.
Text places_text(const Group& group, std::size_t blocks, std::size_t row) {
  std::set<std::pair<std::string, std::uint32_t>> places;
  for (const NodeBlocks& node : group.blocks) {
    for (const ResourceBlock& block : node[blocks]) {
      const plans::SourceLine& source = block.rows[row].change->source;
      if (source.line != 0) places.emplace(source.file, source.line);
    }
  }
  if (places.empty()) return {};
  const Text first = compose("{}:{}", places.begin()->first, places.begin()->second);
  return places.size() == 1 ? first : compose("{} and {} more", first, places.size() - 1);
}

struct ShownRow {
  const PlannedChange* change = nullptr;
  Text values, places;
};

Text row_text(const ShownRow& row, std::size_t name_width, const Style& style) {
  constexpr std::size_t kIndent = 7;
  const std::size_t values_column = kIndent + name_width + 2;
  Text line = Text::blanks(kIndent) + pad(row.change->attribute.attribute, name_width) + "  " +
              hang(row.values, style.width, values_column);
  if (!row.places.empty()) {
    const std::size_t used = last_column(line);
    const bool fits = used + 2 + columns(row.places) <= style.width;
    if (!fits) line += "\n";
    const std::size_t taken = (fits ? used : 0) + columns(row.places);
    line += Text::blanks(style.width > taken ? style.width - taken : 2) +
            paint(style, Colour::dim, row.places);
  }
  if (style.verbose && !row.change->attribute.reason.empty()) {
    line += "\n" + Text::blanks(values_column) +
            paint(
                style,
                Colour::dim,
                "# " + hang(row.change->attribute.reason, style.width, values_column + 2));
  }
  return line + "\n";
}

// "settings/cx5", "settings/hca[0-7] (8 resources)"
Text title_of(const EqualBlocks& blocks) {
  if (blocks.size() == 1) return compose("{}/{}", blocks.front().kind, blocks.front().name);
  std::vector<std::string> names;
  for (const ResourceBlock& block : blocks)
    names.push_back(block.name);
  return compose("{}/{} ({} resources)", blocks.front().kind, set_in_order(names), blocks.size());
}

Text group_text(const Group& group, const std::vector<std::string>& names, const Style& style) {
  Text text = paint(style, Colour::bold, wrap(fold(group.nodes), style.width, 2));
  if (group.nodes.size() > 1) text += compose(" ({} nodes)", group.nodes.size());
  text += "\n";
  const NodeBlocks& first = group.blocks.front();
  for (std::size_t b = 0; b < first.size(); ++b) {
    const std::vector<Row>& rows = first[b].front().rows;
    const bool needs_reboot =
        std::any_of(rows.begin(), rows.end(), [](const Row& row) { return reboots(*row.change); });
    const Symbol mark = symbol(rows.front().change->kind, needs_reboot);
    text += compose("  {} {}\n", paint(style, mark.colour, mark.text), title_of(first[b]));
    std::size_t name_width = 0;
    for (const Row& row : rows)
      name_width = std::max(name_width, columns(row.change->attribute.attribute));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const ShownRow shown{
          rows[r].change,
          zip_table(table_of(group, b, r), names).value_or(rows[r].values),
          places_text(group, b, r)};
      text += row_text(shown, name_width, style);
    }
  }
  return text + "\n";
}

Text legend(const plans::Plan& plan, const Style& style) {
  std::map<std::string_view, Symbol> used;
  for (const PlannedChange& change : plan.changes) {
    const Symbol mark = symbol(change.kind, reboots(change));
    used.emplace(mark.text, mark);
  }
  if (used.empty()) return {};
  Text text = "Symbols:";
  for (const auto& [key, mark] : used) {
    text += compose("  {} {}", paint(style, mark.colour, mark.text), mark.meaning);
  }
  return text + "\n\n";
}

}  // namespace

std::string desired_text(const PlannedChange& change) {
  if (change.attribute.desired.is_null()) return "removed";
  if (change.attribute.attribute == kPartitions) return partitions_text(change.attribute.desired);
  return to_text(change.attribute.desired);
}

std::string observed_text(const LayeredReading& observed, std::string_view attribute) {
  std::string text;
  const auto add = [&](std::string_view label, const Reading& reading) {
    const Value* value = attribute == kPartitions ? reading.value() : nullptr;
    if (!text.empty()) text += ", ";
    if (!label.empty()) text += std::string{label} + " ";
    text += value == nullptr ? reading.text() : partitions_text(*value);
  };
  if (observed.running) add("", *observed.running);
  if (observed.next_boot && observed.next_boot != observed.running)
    add("next boot", *observed.next_boot);
  if (observed.persistent && observed.persistent != observed.running) {
    add("file", *observed.persistent);
  }
  return text.empty() ? "unknown" : text;
}

std::string change_text(const PlannedChange& change) {
  return printable(
      observed_text(change.attribute.observed, change.attribute.attribute) + " -> " +
      desired_text(change));
}

Text changes_text(const plans::Plan& plan, const Style& style) {
  Text text = legend(plan, style);
  const std::vector<std::string> names = names_in(plan);
  for (const Group& group : groups_of(plan, names, style.verbose))
    text += group_text(group, names, style);
  return text;
}

}  // namespace fabric::report
