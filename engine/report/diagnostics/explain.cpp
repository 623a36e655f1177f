// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/explain.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/partition_ports.hpp"
#include "engine/model/topology/isolation.hpp"
#include "engine/report/diagnostics/grouping.hpp"

namespace fabric::report {

namespace {

constexpr std::size_t kLabelColumns = 10;
// The least width of the origins: for it, values, then names, wrap to a line of their own.
constexpr std::size_t kOriginColumns = 14;
constexpr std::size_t kNarrowestValue = 18;
constexpr std::size_t kNarrowestName = 28;
constexpr std::size_t kGap = 2;

Text field(const Text& label, const Text& text, const Style& style) {
  return paint(style, Colour::bold, pad(label, kLabelColumns)) +
         hang(text, style.width, kLabelColumns) + "\n";
}

// The common start of all paths, up to a '.' or ' ' after a name; "" for a single short name.
std::string common_title(const std::vector<Provenance>& values) {
  std::string_view common = values.front().path;
  for (const Provenance& value : values) {
    const auto differ =
        std::mismatch(common.begin(), common.end(), value.path.begin(), value.path.end());
    common = common.substr(0, static_cast<std::size_t>(differ.first - common.begin()));
  }
  const std::size_t end = common.find_last_of(". ");
  return std::string{common.substr(0, end == std::string_view::npos ? 0 : end)};
}

struct Row {
  Text name, value, place, origin;
};

Text place_text(const SourceMap& sources, const SourceRange& range) {
  const Place place = place_of(sources, range);
  return place.known ? compose("{}:{}", place.path, place.begin.line) : "-";
}

struct Widths {
  std::size_t name = 0, value = 0, place = 0;

  std::size_t before_origin(std::size_t indent) const {
    return indent + name + value + place + 3 * kGap;
  }
};

Widths widths_of(const std::vector<Row>& rows, std::size_t indent, const Style& style) {
  Widths widths;
  for (const Row& row : rows) {
    widths.name = std::max(widths.name, columns(row.name));
    widths.value = std::max(widths.value, columns(row.value));
    widths.place = std::max(widths.place, columns(row.place));
  }
  const auto squeeze = [&](std::size_t& width, std::size_t narrowest) {
    const std::size_t wanted = widths.before_origin(indent) + kOriginColumns;
    if (wanted <= style.width || width <= narrowest) return;
    width -= std::min(wanted - style.width, width - narrowest);
  };
  squeeze(widths.value, kNarrowestValue);
  squeeze(widths.name, kNarrowestName);
  return widths;
}

// Appends the cell and continues at the next column's start, on a line of its own if the cell is
// too wide for its column.
void append_cell(Text& text, const Text& cell, std::size_t width, std::size_t next_column) {
  text += pad(cell, width);
  if (columns(cell) > width) {
    text += "\n" + Text::blanks(next_column);
  } else {
    text += "  ";
  }
}

}  // namespace

Text rule_text(const RuleInfo& rule, const Style& style) {
  return compose(
             "{} ({}, stage {})\n",
             paint(style, Colour::bold, rule.slug),
             to_string(rule.severity),
             to_string(rule.stage)) +
         field("why", rule.reason, style) + field("evidence", rule.evidence, style) +
         field("fix", rule.fix, style);
}

Map rule_value(const RuleInfo& rule) {
  return {
      {"rule", rule.slug},
      {"severity", to_string(rule.severity)},
      {"stage", to_string(rule.stage)},
      {"reason", rule.reason},
      {"evidence", rule.evidence},
      {"fix", rule.fix}};
}

Text provenance_text(
    const std::vector<Provenance>& values, const SourceMap& sources, const Style& style) {
  if (values.empty()) return {};
  const std::string title = common_title(values);
  const std::size_t begin = title.empty() ? 0 : title.size() + 1;
  std::vector<Row> rows;
  for (const Provenance& value : values) {
    rows.push_back(
        {value.path.substr(begin), value.value, place_text(sources, value.range), value.origin});
  }
  const std::size_t indent = title.empty() ? 0 : 2;
  const Widths widths = widths_of(rows, indent, style);
  const std::size_t value_column = indent + widths.name + kGap;
  const std::size_t place_column = value_column + widths.value + kGap;
  const std::size_t origin_column = place_column + widths.place + kGap;
  Text text;
  if (!title.empty()) text = paint(style, Colour::bold, title) + "\n";
  for (const Row& row : rows) {
    text += Text::blanks(indent);
    append_cell(text, row.name, widths.name, value_column);
    append_cell(text, hang(row.value, style.width, value_column), widths.value, place_column);
    append_cell(text, row.place, widths.place, origin_column);
    text += hang(row.origin, style.width, origin_column) + "\n";
  }
  return text;
}

Map provenance_value(const Provenance& value, const SourceMap& sources) {
  Map map{{"path", value.path}, {"value", value.value}, {"origin", value.origin}};
  const Place place = place_of(sources, value.range);
  if (place.known) {
    map.emplace("file", place.path);
    map.emplace("line", place.begin.line);
    map.emplace("column", place.begin.column);
  }
  return map;
}

namespace {

void add_addresses(const IpSpec& ip, const NodeName& node, std::vector<std::string>& texts) {
  for (const auto& [port, addresses] : ip.addresses) {
    if (port.node != node) continue;
    for (const Sourced<IpAddress>& each : addresses)
      texts.push_back(each.value.str());
  }
}

// True if the network itself, without a VLAN, carries IP.
bool is_of_network(const NetworkSpec& network, const CommonPlace& place) {
  if (!place.vlan.empty()) return false;
  return std::ranges::all_of(network.partitions, [&](const PartitionSpec& each) {
    return each.name != place.partition || is_default(each);
  });
}

// "10.0.0.1, fd00::1"; "no address".
std::string addresses_of(
    const NetworkSpec& network, const CommonPlace& place, const NodeName& node) {
  std::vector<std::string> texts;
  if (is_of_network(network, place)) {
    add_addresses(network.ipv4, node, texts);
    add_addresses(network.ipv6, node, texts);
    if (network.ipoib) add_addresses(network.ipoib->ipv4, node, texts);
  }
  for (const VlanSpec& vlan : network.vlans) {
    const bool is_here = place.partition.empty() ? !place.vlan.empty() && vlan.name == place.vlan
                                                 : vlan.partition.value == place.partition;
    if (is_here) add_addresses(vlan.ipv4, node, texts);
  }
  return texts.empty() ? "no address" : join(texts, ", ");
}

SourceRange place_of(const NetworkSpec& network, const CommonPlace& place) {
  for (const VlanSpec& vlan : network.vlans) {
    if (!place.vlan.empty() && vlan.name == place.vlan) return vlan.range;
  }
  for (const PartitionSpec& partition : network.partitions) {
    if (!place.partition.empty() && partition.name == place.partition) return partition.range;
  }
  return network.range;
}

std::string membership(bool full) {
  return full ? "full" : "limited";
}

}  // namespace

std::vector<Provenance> explained_pair(
    const FabricSpec& spec, const NodeName& one, const NodeName& other) {
  std::vector<Provenance> rows;
  const std::string pair = fmt::format("{} - {}", one.str(), other.str());
  for (const CommonPlace& place : Isolation{spec}.common(one, other)) {
    const NetworkSpec& network = spec.networks.at(place.network);
    const std::string memberships =
        network.mode.value != Mode::infiniband
            ? std::string{}
            : fmt::format(
                  "{} and {} member; ", membership(place.one_full), membership(place.other_full));
    rows.push_back(
        {fmt::format("{}, {}", pair, place.words),
         place.talk() ? fmt::format(
                            "{} - {}",
                            addresses_of(network, place, one),
                            addresses_of(network, place, other))
                      : "they do not talk",
         fmt::format("{}network {}", memberships, network.name),
         place_of(network, place)});
  }
  if (rows.empty()) {
    rows.push_back(
        {pair,
         "they do not talk",
         "they have no network, VLAN or partition in common; a host that is in networks of both "
         "and "
         "forwards would join them",
         {}});
  }
  return rows;
}

}  // namespace fabric::report
