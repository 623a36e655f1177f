// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/github.hpp"

#include <string_view>

#include <fmt/format.h>

#include "engine/base/printable.hpp"
#include "engine/report/diagnostics/grouping.hpp"
#include "engine/report/diagnostics/place.hpp"

namespace fabric::report {

namespace {

std::string_view command(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::info:
      return "notice";
  }
  return "notice";
}

// `also` are the characters to escape besides those that end a command anywhere.
std::string escaped(std::string_view text, std::string_view also) {
  std::string safe;
  for (const char c : text) {
    const bool special =
        c == '%' || c == '\r' || c == '\n' || also.find(c) != std::string_view::npos;
    if (special) {
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string property(std::string_view text) {
  return escaped(printable(text), ":,");
}

std::string message_of(
    const FindingGroup& group, const Diagnostics& diagnostics, const SourceMap& sources) {
  const Diagnostic& diagnostic = diagnostics.items()[group.members.front()];
  // Only this function adds line ends.
  std::string text = printable(diagnostic.message);
  for (const Note& note : diagnostic.related) {
    const Place place = place_of(sources, note.range);
    text += '\n' + printable(note.message);
    if (place.known) text += fmt::format(" ({}:{})", printable(place.path), place.begin.line);
  }
  if (!diagnostic.help.empty()) text += "\nhelp: " + printable(diagnostic.help);
  for (const std::string& more : {others_text(group, diagnostics), consequences_text(group)})
    if (!more.empty()) text += '\n' + printable(more);
  return escaped(text, "");
}

std::string place_properties(
    const Place& place, const std::string& root, const std::string& folder) {
  if (!place.known) return "";
  std::string text = fmt::format(
      "file={},line={},endLine={}",
      property(relative_path(place.path, root, folder)),
      place.begin.line,
      place.end.line);
  // GitHub refuses columns of what reaches over several lines.
  if (place.begin.line == place.end.line) {
    text += fmt::format(",col={},endColumn={}", place.begin.column, place.end.column);
  }
  return text + ",";
}

}  // namespace

Text diagnostics_github(
    const Diagnostics& diagnostics,
    const SourceMap& sources,
    const std::string& root,
    const std::string& folder) {
  Text text;
  for (const FindingGroup& group : group_findings(diagnostics)) {
    const Diagnostic& item = diagnostics.items()[group.members.front()];
    text += compose(
        "::{} {}title={}::{}\n",
        command(item.severity),
        place_properties(place_of(sources, item.range), root, folder),
        property(item.rule),
        message_of(group, diagnostics, sources));
  }
  return text;
}

}  // namespace fabric::report
