// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/json.hpp"

#include "engine/report/diagnostics/place.hpp"
#include "engine/value/json.hpp"

namespace fabric::report {

namespace {

Map place_members(const SourceMap& sources, SourceRange range) {
  const Place place = place_of(sources, range);
  Map members{{"file", Value{}}, {"line", Value{}}, {"column", Value{}}};
  if (place.known) {
    members["file"] = place.path;
    members["line"] = place.begin.line;
    members["column"] = place.begin.column;
  }
  return members;
}

}  // namespace

Value diagnostic_value(const Diagnostic& diagnostic, const SourceMap& sources) {
  Map members = place_members(sources, diagnostic.range);
  members["rule"] = diagnostic.rule;
  members["severity"] = to_string(diagnostic.severity);
  members["message"] = diagnostic.message;
  members["help"] = diagnostic.help;
  List related;
  for (const Note& note : diagnostic.related) {
    Map other = place_members(sources, note.range);
    other["message"] = note.message;
    related.emplace_back(std::move(other));
  }
  members["related"] = std::move(related);
  return members;
}

std::string diagnostics_json(const Diagnostics& diagnostics, const SourceMap& sources) {
  List items;
  for (const Diagnostic& item : diagnostics.items()) {
    items.push_back(diagnostic_value(item, sources));
  }
  return to_json_pretty(Map{{"diagnostics", std::move(items)}});
}

}  // namespace fabric::report
