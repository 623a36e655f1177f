#include "engine/report/plan/plan_changes.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/report/plan/partitions_text.hpp"
#include "engine/report/plan/plan_text.hpp"

namespace fabric::report {

namespace {

using plans::PlannedChange;

constexpr std::string_view kPartitions = "partitions";

struct Row {
  const PlannedChange* change = nullptr;
  std::string values;  // "1500 -> 9000"
};

struct ResourceBlock {
  std::string title;  // "settings/cx5"
  std::vector<Row> rows;
};

// The nodes that change in the same way, and how.
struct Group {
  std::vector<NodeName> nodes;
  std::vector<ResourceBlock> blocks;
  // For rows whose values differ between the nodes: those of the last node.
  std::vector<ResourceBlock> last;
};

std::string desired_text(const PlannedChange& change) {
  if (change.attribute.desired.is_null()) return "removed";
  if (change.attribute.attribute == kPartitions) return partitions_text(change.attribute.desired);
  return to_text(change.attribute.desired);
}

std::string values_text(const PlannedChange& change) {
  return observed_text(change.attribute.observed, change.attribute.attribute) + " -> " +
         desired_text(change);
}

std::map<NodeName, std::vector<ResourceBlock>> blocks_by_node(const plans::Plan& plan) {
  std::map<NodeName, std::vector<ResourceBlock>> nodes;
  for (const PlannedChange& change : plan.changes) {
    std::vector<ResourceBlock>& blocks = nodes[change.address.node];
    const std::string title = change.address.kind + "/" + change.address.name;
    if (blocks.empty() || blocks.back().title != title) blocks.push_back({title, {}});
    blocks.back().rows.push_back({&change, values_text(change)});
  }
  return nodes;
}

// Addresses are a node's own by nature, so they don't make two nodes different.
bool own_by_nature(const Row& row) {
  return row.change->attribute.attribute == "addresses";
}

std::string signature(const std::vector<ResourceBlock>& blocks) {
  std::string text;
  for (const ResourceBlock& block : blocks) {
    text += block.title + '\n';
    for (const Row& row : block.rows) {
      text += fmt::format(
          "{} {} {}:{} {}\n",
          row.change->attribute.attribute,
          to_string(row.change->kind),
          row.change->source.file,
          row.change->source.line,
          own_by_nature(row) ? "" : row.values);
    }
  }
  return text;
}

std::vector<Group> groups_of(const plans::Plan& plan) {
  std::map<NodeName, std::vector<ResourceBlock>> nodes = blocks_by_node(plan);
  const bool fold_equal = nodes.size() > kNodesShownSingly;
  std::vector<Group> groups;
  std::map<std::string, std::size_t> known;
  for (auto& [name, blocks] : nodes) {
    // A finding says what happened to an unreachable node; what it lacks is not known.
    if (!plan.nodes.empty() && plan.nodes.contains(name) && !plan.nodes.at(name).reachable)
      continue;
    const std::string key = fold_equal ? signature(blocks) : name.str();
    const auto [place, is_new] = known.emplace(key, groups.size());
    if (is_new) {
      groups.push_back({{name}, std::move(blocks), {}});
    } else {
      groups[place->second].nodes.push_back(name);
      groups[place->second].last = std::move(blocks);
    }
  }
  return groups;
}

bool reboots(const PlannedChange& change) {
  return change.attribute.disruption >= Disruption::reboot && change.attribute.activate;
}

std::string row_values(const Group& group, std::size_t block, std::size_t row) {
  const std::string& first = group.blocks[block].rows[row].values;
  if (group.last.empty() || group.last[block].rows[row].values == first) return first;
  const Row& last = group.last[block].rows[row];
  return first + " .. " + desired_text(*last.change);
}

std::string row_text(
    const Row& row, const std::string& values, std::size_t name_width, const Style& style) {
  const std::string indent(7, ' ');
  const std::string name = pad(row.change->attribute.attribute, name_width);
  const std::size_t values_column = indent.size() + name_width + 2;
  std::string line = indent + name + "  " + hang(values, style.width, values_column);
  const std::string place =
      row.change->source.line == 0
          ? std::string{}
          : fmt::format("{}:{}", row.change->source.file, row.change->source.line);
  if (!place.empty()) {
    const std::size_t line_start = line.rfind('\n') == std::string::npos ? 0 : line.rfind('\n') + 1;
    const std::size_t used = columns(std::string_view{line}.substr(line_start));
    const bool fits = used + 2 + columns(place) <= style.width;
    if (!fits) line += '\n';
    const std::size_t taken = (fits ? used : 0) + columns(place);
    line += std::string(style.width > taken ? style.width - taken : 2, ' ') +
            paint(style, Colour::dim, place);
  }
  if (style.verbose && !row.change->attribute.reason.empty()) {
    line += '\n' + std::string(values_column, ' ') +
            paint(
                style,
                Colour::dim,
                "# " + hang(row.change->attribute.reason, style.width, values_column + 2));
  }
  return line + '\n';
}

std::string group_text(const Group& group, const Style& style) {
  std::string text = paint(style, Colour::bold, wrap(fold(group.nodes), style.width, 2));
  if (group.nodes.size() > 1) text += fmt::format(" ({} nodes)", group.nodes.size());
  text += '\n';
  for (std::size_t b = 0; b < group.blocks.size(); ++b) {
    const ResourceBlock& block = group.blocks[b];
    const bool needs_reboot = std::any_of(
        block.rows.begin(), block.rows.end(), [](const Row& row) { return reboots(*row.change); });
    const Symbol mark = symbol(block.rows.front().change->kind, needs_reboot);
    text += fmt::format("  {} {}\n", paint(style, mark.colour, mark.text), block.title);
    std::size_t name_width = 0;
    for (const Row& row : block.rows) {
      name_width = std::max(name_width, columns(row.change->attribute.attribute));
    }
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      text += row_text(block.rows[r], row_values(group, b, r), name_width, style);
    }
  }
  return text + '\n';
}

std::string legend(const plans::Plan& plan, const Style& style) {
  std::map<std::string_view, Symbol> used;
  for (const PlannedChange& change : plan.changes) {
    const Symbol mark = symbol(change.kind, reboots(change));
    used.emplace(mark.text, mark);
  }
  if (used.empty()) return {};
  std::string text = "Symbols:";
  for (const auto& [key, mark] : used) {
    text += fmt::format("  {} {}", paint(style, mark.colour, mark.text), mark.meaning);
  }
  return text + "\n\n";
}

}  // namespace

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

std::string changes_text(const plans::Plan& plan, const Style& style) {
  std::string text = legend(plan, style);
  for (const Group& group : groups_of(plan))
    text += group_text(group, style);
  return text;
}

}  // namespace fabric::report
