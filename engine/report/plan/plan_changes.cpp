#include "engine/report/plan/plan_changes.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/report/folding/text_template.hpp"
#include "engine/report/plan/partitions_text.hpp"

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

// The nodes that change in the same way, and how each does: equal blocks but for names and
// addresses in the values.
struct Group {
  std::vector<NodeName> nodes;
  std::vector<std::vector<ResourceBlock>> blocks;  // of each node
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

std::vector<std::string> node_names(const plans::Plan& plan) {
  std::vector<std::string> names;
  for (const auto& [name, node] : plan.nodes)
    names.push_back(name.str());
  std::sort(names.begin(), names.end());
  return names;
}

// Equal for nodes that are shown as one.
std::string signature(
    const std::vector<ResourceBlock>& blocks, const std::vector<std::string>& names) {
  std::string text;
  for (const ResourceBlock& block : blocks) {
    text += block.title + '\n';
    for (const Row& row : block.rows) {
      const PlannedChange& change = *row.change;
      text += fmt::format(
          "{} {} {} {} {}:{} {}\n",
          change.attribute.attribute,
          to_string(change.kind),
          to_string(change.attribute.disruption),
          change.attribute.activate,
          change.source.file,
          change.source.line,
          shape_with_numbers(take_apart(row.values, names)));
    }
  }
  return text;
}

std::vector<Group> groups_of(
    const plans::Plan& plan, const std::vector<std::string>& names, bool verbose) {
  std::map<NodeName, std::vector<ResourceBlock>> nodes = blocks_by_node(plan);
  std::vector<NodeName> order;
  for (const auto& [name, blocks] : nodes) {
    // A finding says what happened to an unreachable node; what it lacks is not known.
    const auto known = plan.nodes.find(name);
    if (known == plan.nodes.end() || known->second.reachable) order.push_back(name);
  }
  std::sort(order.begin(), order.end(), [](const NodeName& a, const NodeName& b) {
    return natural_less(a.str(), b.str());
  });
  std::vector<Group> groups;
  std::map<std::string, std::size_t> known;
  for (const NodeName& name : order) {
    std::vector<ResourceBlock>& blocks = nodes[name];
    const std::string key = verbose ? name.str() : signature(blocks, names);
    const auto [place, is_new] = known.emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    Group& group = groups[place->second];
    group.nodes.push_back(name);
    group.blocks.push_back(std::move(blocks));
  }
  return groups;
}

bool reboots(const PlannedChange& change) {
  return change.attribute.disruption >= Disruption::reboot && change.attribute.activate;
}

std::string row_values(
    const Group& group, std::size_t block, std::size_t row, const std::vector<std::string>& names) {
  std::vector<std::string> values;
  for (const std::vector<ResourceBlock>& blocks : group.blocks)
    values.push_back(blocks[block].rows[row].values);
  return zip_texts(values, names);
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

std::string group_text(
    const Group& group, const std::vector<std::string>& names, const Style& style) {
  std::string text = paint(style, Colour::bold, wrap(fold(group.nodes), style.width, 2));
  if (group.nodes.size() > 1) text += fmt::format(" ({} nodes)", group.nodes.size());
  text += '\n';
  const std::vector<ResourceBlock>& first = group.blocks.front();
  for (std::size_t b = 0; b < first.size(); ++b) {
    const ResourceBlock& block = first[b];
    const bool needs_reboot = std::any_of(
        block.rows.begin(), block.rows.end(), [](const Row& row) { return reboots(*row.change); });
    const Symbol mark = symbol(block.rows.front().change->kind, needs_reboot);
    text += fmt::format("  {} {}\n", paint(style, mark.colour, mark.text), block.title);
    std::size_t name_width = 0;
    for (const Row& row : block.rows) {
      name_width = std::max(name_width, columns(row.change->attribute.attribute));
    }
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      text += row_text(block.rows[r], row_values(group, b, r, names), name_width, style);
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
  const std::vector<std::string> names = node_names(plan);
  for (const Group& group : groups_of(plan, names, style.verbose))
    text += group_text(group, names, style);
  return text;
}

}  // namespace fabric::report
