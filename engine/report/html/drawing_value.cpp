// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html/drawing_value.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "engine/base/printable.hpp"
#include "engine/report/html/layout.hpp"

namespace fabric::report {

namespace {

List numbers(const std::vector<std::size_t>& indexes) {
  List list;
  for (const std::size_t index : indexes)
    list.emplace_back(static_cast<std::int64_t>(index));
  return list;
}

List texts(const std::vector<std::string>& strings) {
  return {strings.begin(), strings.end()};
}

// Only what says something: a page of a large fabric has many of each.
void put(Map& map, std::string_view key, const std::string& text) {
  if (!text.empty()) map.emplace(key, text);
}
void put(Map& map, std::string_view key, List list) {
  if (!list.empty()) map.emplace(key, std::move(list));
}

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
  put(value, "notes", texts(node.notes));
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

}  // namespace

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
    List rows;
    for (const std::vector<std::string>& row : table.rows)
      rows.emplace_back(texts(row));
    tables.emplace_back(
        Map{{"title", table.title}, {"head", texts(table.head)}, {"rows", std::move(rows)}});
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

Value printable_value(Map members) {
  return shown(Value{std::move(members)}, false);
}

}  // namespace fabric::report
