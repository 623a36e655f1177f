// SPDX-License-Identifier: Apache-2.0
#include "engine/report/drift/drift_json.hpp"

#include <utility>

#include <fmt/format.h>

#include "engine/report/drift/drift_text.hpp"
#include "engine/report/plan/plan_changes.hpp"
#include "engine/value/json.hpp"
#include "engine/value/lists.hpp"
#include "plans/plan_file.hpp"

namespace fabric::report {

namespace {

using workflow::Difference;
using workflow::Drift;
using workflow::Origin;

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
