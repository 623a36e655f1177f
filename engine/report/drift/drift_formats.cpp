// SPDX-License-Identifier: Apache-2.0
#include "engine/report/drift/drift_formats.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/report/plan/plan_changes.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "engine/report/tables/tables.hpp"
#include "engine/value/json.hpp"
#include "engine/value/lists.hpp"
#include "plans/plan_file.hpp"

namespace fabric::report {

namespace {

using workflow::Difference;
using workflow::Drift;
using workflow::Origin;

constexpr std::array kOrigins{Origin::outside, Origin::both, Origin::unknown, Origin::fabric};

Text title_of(Origin origin) {
  switch (origin) {
    case Origin::outside:
      return "Changed outside of fabric";
    case Origin::both:
      return "Changed outside of fabric, and in the document";
    case Origin::unknown:
      return "Origin unknown";
    case Origin::fabric:
      return "As fabric left it: not in force yet, or the document has changed since";
  }
  return {};
}

// The parts of a difference that nodes have in common.
struct Row {
  std::string resource;  // "interface/cx5.2"
  std::string attribute, values, evidence;
  bool waits_for_boot = false;
  friend bool operator==(const Row&, const Row&) = default;
};

struct RowOfNodes {
  Row row;
  std::vector<NodeName> nodes;
  std::set<std::pair<std::string, std::uint32_t>> places;
};

Row row_of(const Difference& difference) {
  const AttributeChange& attribute = difference.change.attribute;
  std::string values = observed_text(attribute.observed, attribute.attribute);
  if (difference.declared) values += " -> " + desired_text(difference.change);
  return {
      difference.change.address.kind + "/" + difference.change.address.name,
      attribute.attribute,
      std::move(values),
      difference.evidence,
      difference.waits_for_boot};
}

// In the order of the first of each. With `each`, every node has rows of its own.
std::vector<RowOfNodes> rows_of(const std::vector<const Difference*>& differences, bool each) {
  std::vector<RowOfNodes> rows;
  std::map<std::string, std::vector<std::size_t>> known;
  for (const Difference* difference : differences) {
    Row row = row_of(*difference);
    std::vector<std::size_t>& candidates = known[row.resource + ' ' + row.attribute];
    const auto same = std::find_if(
        candidates.begin(), candidates.end(), [&](std::size_t at) { return rows[at].row == row; });
    const std::size_t at = same == candidates.end() || each ? rows.size() : *same;
    if (at == rows.size()) {
      candidates.push_back(at);
      rows.push_back({std::move(row), {}, {}});
    }
    rows[at].nodes.push_back(difference->change.address.node);
    const plans::SourceLine& source = difference->change.source;
    if (source.line != 0) rows[at].places.emplace(source.file, source.line);
  }
  return rows;
}

Text row_text(const RowOfNodes& rows, const Style& style) {
  constexpr std::size_t kIndent = 6;
  const Row& row = rows.row;
  Text text = wrap(
      compose("  {} {} {}: {}", fold(rows.nodes), row.resource, row.attribute, row.values),
      style.width,
      kIndent);
  Text evidence = compose("{}{}", row.evidence, row.waits_for_boot ? "; waits for a boot" : "");
  if (!rows.places.empty()) {
    const auto& [file, line] = *rows.places.begin();
    evidence += compose(" ({}:{}", file, line);
    if (rows.places.size() > 1)
      evidence += compose(" and {}", count(rows.places.size() - 1, "more place"));
    evidence += ")";
  }
  return text + "\n" + Text::blanks(kIndent) +
         paint(style, Colour::dim, hang(evidence, style.width, kIndent)) + "\n";
}

Text section_text(
    const Text& title, const std::vector<const Difference*>& differences, const Style& style) {
  if (differences.empty()) return {};
  Text text = paint(style, Colour::bold, title) + "\n";
  for (const RowOfNodes& rows : rows_of(differences, style.verbose))
    text += row_text(rows, style);
  return text + "\n";
}

Text sections_text(const Drift& drift, const Style& style) {
  Text text;
  for (const Origin origin : kOrigins) {
    std::vector<const Difference*> differences;
    for (const Difference& difference : drift.differences)
      if (difference.declared && difference.origin == origin) differences.push_back(&difference);
    text += section_text(title_of(origin), differences, style);
  }
  std::vector<const Difference*> undeclared;
  for (const Difference& difference : drift.differences)
    if (!difference.declared) undeclared.push_back(&difference);
  return text + section_text(
                    "The next boot changes this, and no line of the document asks for it",
                    undeclared,
                    style);
}

}  // namespace

std::string drift_summary(const plans::Plan& plan, const Drift& drift) {
  std::vector<std::string> parts;
  const auto add = [&](Origin origin, std::string_view words) {
    const std::size_t number = drift.count(origin);
    if (number != 0) parts.push_back(fmt::format("{} {}", number, words));
  };
  add(Origin::outside, "changed outside of fabric");
  add(Origin::both, "changed outside of fabric and in the document");
  add(Origin::unknown, "of unknown origin");
  add(Origin::fabric, "as fabric left it");
  std::string text;
  if (!parts.empty()) {
    text = fmt::format("Drift: {}", join(parts, ", "));
  } else if (plan.complete()) {
    text = "No drift: the fabric is what the document says";
  } else {
    text = "No drift is known, but not every node could be asked";
  }
  if (drift.waiting() != 0)
    text += fmt::format("; {} in force after a boot", count(drift.waiting(), "value"));
  return text + ".";
}

Text drift_text(const plans::Plan& plan, const Drift& drift, const Style& style) {
  const bool is_clean = plan.empty() && plan.complete() && drift.differences.empty();
  return plan_header(plan, style) + sections_text(drift, style) + plan_findings_text(plan, style) +
         paint(style, is_clean ? Colour::green : Colour::yellow, drift_summary(plan, drift)) + "\n";
}

std::string drift_markdown(const plans::Plan& plan, const Drift& drift, std::size_t most) {
  constexpr std::size_t kWidth = 100;
  constexpr std::size_t kFrame = 1024;
  std::string text = fmt::format(
      "### fabric: drift of {}\n\n{}\n\n", inert(plan.fabric), drift_summary(plan, drift));
  const Style style{false, kWidth, false};
  const Text body = sections_text(drift, style) + plan_findings_text(plan, style);
  if (!body.empty()) {
    const std::size_t used = text.size() + kFrame;
    text += fenced(without_middle(body.str(), most > used ? most - used : 0));
  }
  return text;
}

namespace {

Map summary_of(const Drift& drift) {
  const auto number = [&](Origin origin) {
    return static_cast<std::int64_t>(drift.count(origin));
  };
  return {
      {"outside", number(Origin::outside)},
      {"both", number(Origin::both)},
      {"unknown", number(Origin::unknown)},
      {"fabric", number(Origin::fabric)},
      {"waits_for_boot", static_cast<std::int64_t>(drift.waiting())}};
}

void add_origin(Map& fields, const Difference& difference) {
  fields.insert_or_assign("origin", to_string(difference.origin));
  fields.insert_or_assign("evidence", difference.evidence);
  fields.insert_or_assign("waits_for_boot", difference.waits_for_boot);
  fields.insert_or_assign("declared", difference.declared);
  fields.insert_or_assign("files", to_list(difference.files));
  // The work that a plan would do is no part of drift.
  for (const char* key : {"write", "activate", "withheld"})
    fields.erase(key);
}

// The readings and places are told as a plan file tells them.
Map as_plan_file(const plans::Plan& plan, const Drift& drift) {
  plans::Plan shown;
  shown.fabric = plan.fabric;
  shown.inputs = plan.inputs;
  shown.nodes = plan.nodes;
  shown.diagnostics = plan.diagnostics;
  for (const Difference& difference : drift.differences)
    shown.changes.push_back(difference.change);
  const Value value = plans::to_value(shown);
  return *value.as_map();
}

}  // namespace

std::string drift_json(const plans::Plan& plan, const Drift& drift) {
  Map all = as_plan_file(plan, drift);
  List differences = *all.at("changes").as_list();
  for (std::size_t i = 0; i < differences.size(); ++i) {
    Map fields = *differences[i].as_map();
    add_origin(fields, drift.differences[i]);
    differences[i] = Value{std::move(fields)};
  }
  return to_json_pretty(Value{
      Map{{"format_version", "1.0"},
          {"fabric", all.at("fabric")},
          {"inputs", all.at("inputs")},
          {"nodes", all.at("nodes")},
          {"diagnostics", all.at("diagnostics")},
          {"differences", std::move(differences)},
          {"summary", summary_of(drift)}}});
}

void emit_drift(const JsonEvents& events, const plans::Plan& plan, const Drift& drift) {
  for (const Difference& difference : drift.differences) {
    const AttributeChange& attribute = difference.change.attribute;
    Map fields{
        {"address", difference.change.address.str()},
        {"node", difference.change.address.node.str()},
        {"kind", to_string(difference.change.kind)},
        {"attribute", attribute.attribute},
        {"observed", observed_text(attribute.observed)},
        {"desired", attribute.desired},
        {"file", difference.change.source.file},
        {"line", difference.change.source.line}};
    add_origin(fields, difference);
    const std::string message = fmt::format(
        "{} {}: {}: {}",
        difference.change.address.str(),
        attribute.attribute,
        to_string(difference.origin),
        difference.evidence);
    const bool is_ours = difference.origin == Origin::fabric || !difference.declared;
    events.emit(is_ours ? "info" : "warn", "drift", message, std::move(fields));
  }
  events.emit("info", "drift_summary", drift_summary(plan, drift), summary_of(drift));
}

}  // namespace fabric::report
