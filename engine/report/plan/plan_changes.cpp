// SPDX-License-Identifier: Apache-2.0
#include "engine/report/plan/plan_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/parallel.hpp"
#include "engine/base/printable.hpp"
#include "engine/base/text.hpp"
#include "engine/model/address.hpp"
#include "engine/model/names.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/report/diagnostics/grouping.hpp"

namespace fabric::report {

namespace {

bool is_true(const Map& map, std::string_view key) {
  return value_at(map, key) == Value{true};
}

std::string members_text(const Map& partition) {
  std::vector<std::string> texts;
  for (const Value& member : value_at(partition, "members").items()) {
    const Map* map = member.as_map();
    if (map == nullptr) continue;
    texts.push_back(text_in(*map, "who") + (is_true(*map, "full") ? " full" : " limited"));
  }
  return texts.empty() ? "no member" : join(texts, ", ");
}

std::string partition_text(const Value& partition) {
  const Map* map = partition.as_map();
  if (map == nullptr) return to_text(partition);
  const std::int64_t* number = value_at(*map, "pkey").as_integer();
  std::string text = text_in(*map, "name");
  if (number != nullptr) text += fmt::format(" 0x{:04x}", *number);
  if (is_true(*map, "ipoib")) text += " ipoib";
  if (const std::string mtu = text_in(*map, "mtu"); !mtu.empty()) text += " mtu " + mtu;
  return text + ": " + members_text(*map);
}

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

// The nodes that change in the same way, and how each does: equal blocks but for addresses in the
// values, which are of one node by their nature.
struct Group {
  std::vector<NodeName> nodes;
  std::vector<NodeBlocks> blocks;  // of each node
};

std::map<NodeName, std::vector<ResourceBlock>> blocks_by_node(const plans::Plan& plan) {
  std::vector<std::string> texts(plan.changes.size());
  for_each_index(
      texts.size(), [&](std::size_t index) { texts[index] = change_text(plan.changes[index]); });
  std::map<NodeName, std::vector<ResourceBlock>> nodes;
  for (std::size_t index = 0; index < texts.size(); ++index) {
    const PlannedChange& change = plan.changes[index];
    std::vector<ResourceBlock>& blocks = nodes[change.address.node];
    const bool goes_on = !blocks.empty() && blocks.back().kind == change.address.kind &&
                         blocks.back().name == change.address.name;
    if (!goes_on) blocks.push_back({change.address.kind, change.address.name, {}});
    blocks.back().rows.push_back({&change, std::move(texts[index])});
  }
  return nodes;
}

bool is_address(std::string_view word) {
  constexpr std::size_t kGuid = std::string_view{"0x0002c90300a1b2c3"}.size();
  if (word.find_first_of(".:") == std::string_view::npos)
    return word.size() == kGuid && word.starts_with("0x") && Guid::parse(word);
  return IpAddress::parse(word.substr(0, word.find('/'))) || MacAddress::parse(word) ||
         PciAddress::parse(word);
}

std::string without_addresses(std::string_view values) {
  constexpr std::string_view kBetween = " ,[]{}";
  std::string text;
  while (!values.empty()) {
    const std::size_t end = std::min(values.find_first_of(kBetween), values.size());
    const std::string_view word = values.substr(0, end);
    text += is_address(word) ? std::string_view{"#"} : word;
    text += values.substr(end, 1);
    values.remove_prefix(std::min(end + 1, values.size()));
  }
  return text;
}

// Equal for resources that are shown as one. Not by the line that asks for it: each node may have
// one of its own.
std::string signature(const ResourceBlock& block) {
  std::string text = block.kind + '\n';
  for (const Row& row : block.rows) {
    const PlannedChange& change = *row.change;
    text += fmt::format(
        "{} {} {} {} {}\n",
        change.attribute.attribute,
        to_string(change.kind),
        to_string(change.attribute.disruption),
        change.attribute.activate,
        without_addresses(row.values));
  }
  return text;
}

// Equal for nodes that are shown as one.
std::string signature(const NodeBlocks& node) {
  std::string text;
  for (const EqualBlocks& blocks : node) {
    for (const ResourceBlock& block : blocks)
      text += block.name + ' ';
    text += signature(blocks.front());
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
NodeBlocks equal_together(std::vector<ResourceBlock> blocks) {
  NodeBlocks node;
  std::map<std::string, std::size_t> known;
  for (ResourceBlock& block : blocks) {
    const auto [place, is_new] = known.emplace(signature(block), node.size());
    if (is_new) node.emplace_back();
    node[place->second].push_back(std::move(block));
  }
  // In the order of names, which is the order of values in a set.
  for (EqualBlocks& equal : node) {
    std::ranges::sort(equal, [](const ResourceBlock& a, const ResourceBlock& b) {
      return natural_less(a.name, b.name);
    });
  }
  return node;
}

// The value that a row changes in all nodes and equal resources: the value if they have one, or a
// set of one for each node, each resource, or each resource of each node. Nullopt where no set
// shows which value belongs to which.
std::optional<std::string> values_of(const Group& group, std::size_t blocks, std::size_t row) {
  const std::size_t resources = group.blocks.front()[blocks].size();
  const std::size_t nodes = group.blocks.size();
  const auto at = [&](std::size_t node, std::size_t resource) -> const std::string& {
    return group.blocks[node][blocks][resource].rows[row].values;
  };
  // All nodes and resources, the inner one fastest, each once.
  const auto different = [&](bool by_node) {
    std::vector<std::string> values;
    std::set<std::string_view> seen;
    const std::size_t inner = by_node ? resources : nodes;
    for (std::size_t i = 0; i < nodes * resources; ++i) {
      const std::string& value = by_node ? at(i / inner, i % inner) : at(i % inner, i / inner);
      if (seen.insert(value).second) values.push_back(value);
    }
    return values;
  };
  const std::vector<std::string> values = different(true);
  if (values.size() == 1) return values.front();
  if (values.size() != nodes && values.size() != resources && values.size() != nodes * resources)
    return std::nullopt;
  std::optional<std::string> set = fold_as_set(values);
  if (!set) set = fold_as_set(different(false));
  constexpr std::size_t kReadable = 120;
  return set && set->size() <= kReadable ? set : std::nullopt;
}

// True if the values of every row can be written as sets.
bool can_be_told(const Group& group) {
  const NodeBlocks& first = group.blocks.front();
  for (std::size_t b = 0; b < first.size(); ++b) {
    for (std::size_t r = 0; r < first[b].front().rows.size(); ++r) {
      if (!values_of(group, b, r)) return false;
    }
  }
  return true;
}

std::vector<NodeName> nodes_in_order(
    const plans::Plan& plan, const std::map<NodeName, std::vector<ResourceBlock>>& nodes) {
  std::vector<NodeName> order;
  for (const auto& [name, blocks] : nodes) {
    // A finding is about the unreachable node; its changes are unknown.
    const auto known = plan.nodes.find(name);
    if (known == plan.nodes.end() || known->second.reachable) order.push_back(name);
  }
  std::ranges::sort(
      order, [](const NodeName& a, const NodeName& b) { return natural_less(a.str(), b.str()); });
  return order;
}

std::vector<Group> groups_of(const plans::Plan& plan, bool verbose) {
  std::map<NodeName, std::vector<ResourceBlock>> nodes = blocks_by_node(plan);
  const std::vector<NodeName> order = nodes_in_order(plan, nodes);
  std::vector<NodeBlocks> of_node(order.size());
  std::vector<std::string> keys(order.size());
  for_each_index(order.size(), [&](std::size_t index) {
    std::vector<ResourceBlock>& own = nodes.at(order[index]);
    of_node[index] = verbose ? each_alone(std::move(own)) : equal_together(std::move(own));
    keys[index] = verbose ? order[index].str() : signature(of_node[index]);
  });
  std::vector<Group> groups;
  std::map<std::string, std::size_t> known;
  for (std::size_t index = 0; index < order.size(); ++index) {
    const auto [place, is_new] = known.emplace(std::move(keys[index]), groups.size());
    if (is_new) groups.emplace_back();
    Group& group = groups[place->second];
    group.nodes.push_back(order[index]);
    group.blocks.push_back(std::move(of_node[index]));
  }
  for (Group& group : groups) {
    if (can_be_told(group)) continue;
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

// "fabric.yaml:7", "fabric.yaml:7,9", "fabric.yaml:7 and 38 more": where the document asks for a
// row.
Text places_text(const Group& group, std::size_t blocks, std::size_t row) {
  std::set<std::pair<std::string, std::uint32_t>> places;
  for (const NodeBlocks& node : group.blocks) {
    for (const ResourceBlock& block : node[blocks]) {
      const plans::SourceLine& source = block.rows[row].change->source;
      if (source.line != 0) places.emplace(source.file, source.line);
    }
  }
  if (places.empty()) return {};
  constexpr std::size_t kListed = 3;
  const auto& [file, line] = *places.begin();
  Text text = compose("{}:{}", file, line);
  if (places.size() > kListed || places.rbegin()->first != file)
    return places.size() == 1 ? text : compose("{} and {} more", text, places.size() - 1);
  for (auto place = std::next(places.begin()); place != places.end(); ++place)
    text += compose(",{}", place->second);
  return text;
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
  return compose(
      "{}/{} ({} resources)", blocks.front().kind, short_set(std::move(names)), blocks.size());
}

Text group_text(const Group& group, const Style& style) {
  Text text = paint(style, Colour::bold, wrap(fold(group.nodes), style.width, 2));
  if (group.nodes.size() > 1) text += compose(" ({} nodes)", group.nodes.size());
  text += "\n";
  const NodeBlocks& first = group.blocks.front();
  for (std::size_t b = 0; b < first.size(); ++b) {
    const std::vector<Row>& rows = first[b].front().rows;
    const bool needs_reboot =
        std::ranges::any_of(rows, [](const Row& row) { return reboots(*row.change); });
    const Symbol mark = symbol(rows.front().change->kind, needs_reboot);
    text += compose("  {} {}\n", paint(style, mark.colour, mark.text), title_of(first[b]));
    std::size_t name_width = 0;
    for (const Row& row : rows)
      name_width = std::max(name_width, columns(row.change->attribute.attribute));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::optional<std::string> values = values_of(group, b, r);
      const ShownRow shown{
          rows[r].change,
          values ? *values : rows[r].values + ", otherwise on other nodes (--verbose)",
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

std::string partitions_text(const Value& partitions) {
  const List* list = partitions.as_list();
  if (list == nullptr) return to_text(partitions);
  std::vector<std::string> texts;
  for (const Value& partition : *list)
    texts.push_back(partition_text(partition));
  return texts.empty() ? "none" : join(texts, "; ");
}

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
    // A package is no file that could be absent.
    add(attribute == "installed" ? "" : "file", *observed.persistent);
  }
  return text.empty() ? "unknown" : text;
}

std::string change_text(const PlannedChange& change) {
  const AttributeChange& attribute = change.attribute;
  std::string wanted = desired_text(change);
  // Its file goes, and what runs stays as it is.
  const std::optional<Reading>& running = attribute.observed.running;
  if (attribute.desired.is_null() && !attribute.activate && running && running->is_known()) {
    LayeredReading after = attribute.observed;
    for (std::optional<Reading>* later : {&after.next_boot, &after.persistent})
      if (*later) *later = Reading::absent();
    wanted = observed_text(after, attribute.attribute);
  }
  return printable(observed_text(attribute.observed, attribute.attribute) + " -> " + wanted);
}

Text changes_text(const plans::Plan& plan, const Style& style) {
  Text text = legend(plan, style);
  for (const Group& group : groups_of(plan, style.verbose))
    text += group_text(group, style);
  return text;
}

}  // namespace fabric::report
