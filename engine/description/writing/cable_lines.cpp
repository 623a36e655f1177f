// SPDX-License-Identifier: Apache-2.0
#include "engine/description/writing/cable_lines.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "engine/base/text.hpp"
#include "engine/description/writing/patterns.hpp"
#include "engine/model/node_set_text.hpp"

namespace fabric::description {

namespace {

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

// The longest stretch from `begin` on that is one line; a row by itself always is.
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

}  // namespace

std::string endpoint_text(const End& end, const std::map<std::string, Node>& nodes) {
  const auto node = nodes.find(end.node);
  const bool only_one = node != nodes.end() && node->second.adapters.size() == 1;
  if (end.adapter.empty() || only_one) return end.node + "/" + end.port;
  return end.node + "/" + end.adapter + "/" + end.port;
}

YamlTree cable_lines(const std::vector<Cable>& cables, const std::map<std::string, Node>& nodes) {
  YamlTree lines = YamlTree::list();
  lines.in_block = true;
  std::vector<Cable> rest = cables;
  for (const std::vector<std::string>& ring : take_rings(rest, nodes))
    lines.items.push_back(ring_line(ring));
  const Order order{rest, nodes};
  for (Cable& cable : rest)
    cable = order.turned(std::move(cable));
  std::stable_sort(rest.begin(), rest.end(), [&order](const Cable& a, const Cable& b) {
    return order.cable_before(a, b);
  });
  const std::vector<Row> rows = simple_rows(rest, nodes);
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    lines.items.push_back(longest_line(rows, begin, end));
    begin = end;
  }
  return lines;
}

std::vector<std::string> node_sets(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end(), natural_less);
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

YamlTree port_lines(const std::vector<End>& ports, const std::map<std::string, Node>& nodes) {
  std::vector<std::string> texts;
  for (const End& port : ports)
    texts.push_back(endpoint_text(port, nodes));
  YamlTree lines = YamlTree::list();
  for (std::string& set : node_sets(std::move(texts)))
    lines.items.push_back(YamlTree::text(std::move(set)));
  return lines;
}

}  // namespace fabric::description
