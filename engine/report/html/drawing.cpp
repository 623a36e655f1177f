// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html/drawing.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/printable.hpp"
#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/report/diagnostics/grouping.hpp"
#include "engine/report/html/layout.hpp"
#include "engine/value/lists.hpp"

namespace fabric::report {

namespace {

// Above so many nodes the page begins with groups.
constexpr std::size_t kMostNodesUngrouped = 200;

List numbers(const std::vector<std::size_t>& indexes) {
  List list;
  for (const std::size_t index : indexes)
    list.emplace_back(static_cast<std::int64_t>(index));
  return list;
}

// Empty members are left out: a page of a large fabric has many of each.
List lines_value(const std::vector<DrawnLine>& lines) {
  List list;
  for (const DrawnLine& line : lines)
    list.emplace_back(List{line.name, line.text, line.source});
  return list;
}

List sections_value(const std::vector<DrawnSection>& sections) {
  List list;
  for (const DrawnSection& section : sections) {
    List entries;
    for (const DrawnEntry& entry : section.entries) {
      Map value{{"title", entry.title}};
      put(value, "mark", entry.mark);
      put(value, "meaning", entry.meaning);
      put(value, "lines", lines_value(entry.lines));
      entries.emplace_back(std::move(value));
    }
    list.emplace_back(Map{{"title", section.title}, {"entries", std::move(entries)}});
  }
  return list;
}

Value node_value(const DrawnNode& node) {
  Map value{{"name", node.name}, {"state", to_string(node.state)}};
  if (node.is_switch) value.emplace("switch", true);
  put(value, "rack", node.rack);
  put(value, "facts", lines_value(node.facts));
  put(value, "notes", to_list(node.notes));
  put(value, "sections", sections_value(node.sections));
  return value;
}

Value cable_value(const DrawnCable& cable) {
  Map value{
      {"nodes", numbers({cable.a, cable.b})},
      {"ports", List{cable.a_port, cable.b_port}},
      {"state", to_string(cable.state)}};
  put(value, "network", cable.network);
  put(value, "label", cable.label);
  put(value, "words", cable.words);
  return value;
}

Value view_value(const Wiring& wiring, bool grouped) {
  const Arrangement layout = arrange(wiring, grouped);
  List boxes;
  for (const Box& box : layout.boxes) {
    Map value{
        {"nodes", numbers(box.nodes)},
        {"tier", static_cast<std::int64_t>(box.tier)},
        {"row", static_cast<std::int64_t>(box.row)},
        {"x", box.x},
        {"y", box.y}};
    put(value, "title", box.title);
    boxes.emplace_back(std::move(value));
  }
  List frames;
  for (const Frame& frame : layout.frames) {
    frames.emplace_back(
        Map{{"title", frame.title},
            {"x", frame.x},
            {"y", frame.y},
            {"width", frame.width},
            {"height", frame.height}});
  }
  return Map{
      {"name", grouped ? "groups" : "nodes"},
      {"boxes", std::move(boxes)},
      {"frames", std::move(frames)},
      {"width", layout.width},
      {"height", layout.height},
      {"box_width", layout.box_width},
      {"box_height", kBoxHeight},
      {"row_height", kRowHeight}};
}

List views_value(const Drawing& drawing) {
  Wiring wiring;
  for (const DrawnNode& node : drawing.nodes)
    wiring.nodes.push_back({printable(node.name), node.is_switch, node.rack});
  for (const DrawnCable& cable : drawing.cables)
    wiring.cables.emplace_back(cable.a, cable.b);
  List views;
  if (drawing.nodes.size() > kMostNodesUngrouped) views.push_back(view_value(wiring, true));
  views.push_back(view_value(wiring, false));
  return views;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as what is written above
Value shown(const Value& value, bool has_lines) {
  if (const std::string* text = value.as_string())
    return has_lines ? printable_lines(*text) : printable(*text);
  if (const List* list = value.as_list()) {
    List all;
    for (const Value& each : *list)
      all.push_back(shown(each, has_lines));
    return all;
  }
  if (const Map* map = value.as_map()) {
    Map all;
    for (const auto& [key, each] : *map)
      all.emplace(printable(key), shown(each, key == "text"));
    return all;
  }
  return value;
}

// {"kind", "title", "verdict", "text", "legend": [...], "nodes": [...], "cables": [...], "waves":
// [...], "tables": [...], "views": [...]}: a view has {"name", "boxes", "frames", "width",
// "height", "box_width"}, and the first view is shown first.
Map drawing_members(const Drawing& drawing) {
  List nodes, cables, waves, tables, legend;
  for (const auto& [state, words] : drawing.legend)
    legend.emplace_back(List{to_string(state), words});
  for (const DrawnNode& node : drawing.nodes)
    nodes.push_back(node_value(node));
  for (const DrawnCable& cable : drawing.cables)
    cables.push_back(cable_value(cable));
  for (const DrawnWave& wave : drawing.waves) {
    waves.emplace_back(
        Map{{"title", wave.title},
            {"why", wave.why},
            {"nodes", numbers(wave.nodes)},
            {"work", lines_value(wave.work)}});
  }
  for (const DrawnTable& table : drawing.tables) {
    tables.emplace_back(
        Map{{"title", table.title},
            {"head", to_list(table.head)},
            {"rows", to_list(table.rows, [](const auto& row) { return to_list(row); })}});
  }
  return {
      {"kind", drawing.kind},
      {"title", drawing.title},
      {"verdict", drawing.verdict},
      {"text", drawing.text},
      {"legend", std::move(legend)},
      {"nodes", std::move(nodes)},
      {"cables", std::move(cables)},
      {"waves", std::move(waves)},
      {"tables", std::move(tables)},
      {"views", views_value(drawing)}};
}

// The value with every text, keys too, made printable (base/printable); the members of "text" keep
// their lines.
Value printable_value(Map members) {
  return shown(Value{std::move(members)}, false);
}

std::string label_of(const NodeSpec& node, std::string_view label) {
  const auto found = node.labels.find(std::string{label});
  return found == node.labels.end() ? std::string{} : found->second.value;
}

DrawnNode drawn(const NodeSpec& node) {
  DrawnNode drawn{node.name.str(), is_switch(node.platform.value), label_of(node, "rack")};
  drawn.facts.push_back({"platform", std::string{to_string(node.platform.value)}, ""});
  if (!node.address.value.empty() && node.address.value != drawn.name)
    drawn.facts.push_back({"address", node.address.value, ""});
  for (const auto& [label, value] : node.labels)
    drawn.facts.push_back({label, value.value, ""});
  for (const AdapterSpec& adapter : *node.adapters)
    drawn.facts.push_back({adapter.name, adapter.model.value, ""});
  return drawn;
}

std::string port_text(const PortRef& port) {
  return port.adapter.empty() ? port.port : port.adapter + "/" + port.port;
}

std::string place_text(const SourceMap& sources, SourceRange range) {
  const Place place = place_of(sources, range);
  return place.known ? fmt::format("{}:{}", place.path, place.begin.line) : std::string{};
}

Map finding_value(const Diagnostic& finding, const SourceMap& sources) {
  Map value{
      {"severity", to_string(finding.severity)},
      {"rule", finding.rule},
      {"message", finding.message}};
  if (!finding.help.empty()) value.emplace("help", finding.help);
  const std::string place = place_text(sources, finding.range);
  if (!place.empty()) value.emplace("place", place);
  List related;
  for (const Note& note : finding.related) {
    const std::string where = place_text(sources, note.range);
    related.emplace_back(where.empty() ? note.message : note.message + " (" + where + ")");
  }
  if (!related.empty()) value.emplace("related", std::move(related));
  return value;
}

}  // namespace

std::string_view to_string(DrawnState state) {
  switch (state) {
    case DrawnState::fine:
      return "fine";
    case DrawnState::unasked:
      return "unasked";
    case DrawnState::changing:
      return "changing";
    case DrawnState::doubtful:
      return "doubtful";
    case DrawnState::unknown:
      return "unknown";
    case DrawnState::wrong:
      return "wrong";
  }
  return "wrong";
}

Drawing::Drawing(const FabricSpec& spec) {
  std::vector<const NodeSpec*> known;
  for (const auto& [name, node] : spec.nodes)
    known.push_back(&node);
  std::sort(known.begin(), known.end(), [](const NodeSpec* a, const NodeSpec* b) {
    return fabric::natural_less(a->name.str(), b->name.str());
  });
  for (const NodeSpec* node : known)
    add(drawn(*node));
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      const PortRef& a = cable.a.value;
      const PortRef& b = cable.b.value;
      const std::size_t first = index_of(a.node, DrawnState::wrong);
      const std::size_t second = index_of(b.node, DrawnState::wrong);
      cables.push_back({first, second, port_text(a), port_text(b), name, cable.label});
    }
  }
}

Drawing::Drawing(const std::vector<NodeName>& names) {
  std::vector<NodeName> sorted = names;
  std::sort(sorted.begin(), sorted.end(), [](const NodeName& a, const NodeName& b) {
    return fabric::natural_less(a.str(), b.str());
  });
  for (const NodeName& name : sorted)
    index_of(name, DrawnState::fine);
}

void Drawing::add(DrawnNode node) {
  indexes_.emplace(node.name, nodes.size());
  nodes.push_back(std::move(node));
}

std::size_t Drawing::index_of(const NodeName& name, DrawnState state_of_stranger) {
  const auto found = indexes_.find(name.str());
  if (found != indexes_.end()) return found->second;
  DrawnNode stranger{name.str()};
  stranger.state = state_of_stranger;
  if (state_of_stranger == DrawnState::wrong)
    stranger.notes.emplace_back("A cable ends here, and the document has no such node.");
  add(std::move(stranger));
  return nodes.size() - 1;
}

DrawnNode* Drawing::find(std::string_view name) {
  const auto found = indexes_.find(name);
  return found == indexes_.end() ? nullptr : &nodes[found->second];
}

std::vector<std::size_t> Drawing::named_in(std::string_view words) const {
  std::set<std::size_t> found;
  for (const std::string_view word : name_words(words)) {
    const auto known = indexes_.find(word);
    if (known != indexes_.end()) found.insert(known->second);
  }
  return {found.begin(), found.end()};
}

std::vector<std::size_t> Drawing::indexes(const std::vector<NodeName>& names) const {
  std::set<std::size_t> found;
  for (const NodeName& name : names) {
    const auto known = indexes_.find(name.str());
    if (known != indexes_.end()) found.insert(known->second);
  }
  return {found.begin(), found.end()};
}

void Drawing::set_findings(const Diagnostics& findings, const SourceMap& sources) {
  std::vector<std::vector<std::size_t>> about;
  for (const Diagnostic& finding : findings.items()) {
    about.push_back(named_in(finding.message));
    Map value = finding_value(finding, sources);
    value.emplace("nodes", numbers(about.back()));
    findings_.emplace_back(std::move(value));
  }
  for (const FindingGroup& group : group_findings(findings)) {
    std::set<std::size_t> all;
    for (const std::size_t member : group.members)
      all.insert(about[member].begin(), about[member].end());
    Map value = finding_value(findings.items()[group.members.front()], sources);
    value.emplace("nodes", numbers({all.begin(), all.end()}));
    value.emplace("others", others_text(group, findings));
    value.emplace("consequences", static_cast<std::int64_t>(group.consequences.size()));
    folded_.emplace_back(std::move(value));
  }
}

Value Drawing::value() const {
  Map all = drawing_members(*this);
  all.emplace("findings", findings_);
  all.emplace("folded", folded_);
  return printable_value(std::move(all));
}

}  // namespace fabric::report
