// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/ci.hpp"

#include <map>
#include <vector>

#include <fmt/format.h>

#include "engine/base/printable.hpp"
#include "engine/base/text.hpp"
#include "engine/report/diagnostics/grouping.hpp"
#include "engine/report/diagnostics/rule_table.hpp"
#include "engine/report/tables/tables.hpp"
#include "engine/value/digest.hpp"
#include "engine/value/json.hpp"

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

namespace {

std::string details(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::vector<std::string> lines;
  const auto put = [&](SourceRange range, const std::string& message) {
    const Place place = place_of(sources, range);
    lines.push_back(
        place.known
            ? xml_text(fmt::format(
                  "{}:{}:{}: {}", place.path, place.begin.line, place.begin.column, message))
            : xml_text(message));
  };
  put(diagnostic.range, diagnostic.message);
  for (const Note& note : diagnostic.related)
    put(note.range, note.message);
  if (!diagnostic.help.empty()) lines.push_back(xml_text("help: " + diagnostic.help));
  return join(lines, "\n");
}

std::string test_case(
    const std::string& suite, const Diagnostic& diagnostic, const SourceMap& sources) {
  const Place place = place_of(sources, diagnostic.range);
  const std::string where =
      place.known ? fmt::format(" at {}:{}", place.begin.line, place.begin.column) : "";
  const bool failed = diagnostic.severity == Severity::error;
  const std::string body =
      failed ? fmt::format(
                   "<failure message=\"{}\" type=\"{}\">{}</failure>",
                   xml_text(diagnostic.message),
                   xml_text(diagnostic.rule),
                   details(diagnostic, sources))
             : fmt::format("<system-out>{}</system-out>", details(diagnostic, sources));
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}{}\">\n      {}\n    </testcase>\n",
      xml_text(suite),
      xml_text(diagnostic.rule),
      where,
      body);
}

// A whole suite and its two counts.
struct Suite {
  std::string text;
  std::size_t tests = 0;
  std::size_t failures = 0;
};

Suite make_suite(
    const std::string& name,
    const std::vector<const Diagnostic*>& found,
    const SourceMap& sources) {
  Suite suite;
  std::string cases;
  for (const Diagnostic* diagnostic : found) {
    cases += test_case(name, *diagnostic, sources);
    ++suite.tests;
    if (diagnostic->severity == Severity::error) ++suite.failures;
  }
  if (suite.failures == 0) {
    cases += fmt::format("    <testcase classname=\"{}\" name=\"valid\"/>\n", xml_text(name));
    ++suite.tests;
  }
  suite.text = fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n{}"
      "  </testsuite>\n",
      xml_text(name),
      suite.tests,
      suite.failures,
      cases);
  return suite;
}

}  // namespace

std::string diagnostics_junit(
    const Diagnostics& diagnostics, const SourceMap& sources, std::string_view title) {
  std::vector<std::vector<const Diagnostic*>> by_file(sources.size());
  for (const Diagnostic& item : diagnostics.items()) {
    by_file.at(item.range.file.value).push_back(&item);
  }
  Suite all;
  for (std::uint32_t file = 0; file < by_file.size(); ++file) {
    const bool placeless = file == 0;
    if (placeless && by_file[file].empty() && sources.size() > 1) continue;
    const std::string name = placeless ? "fabric" : sources.path(FileId{file});
    const Suite suite = make_suite(name, by_file[file], sources);
    all.text += suite.text;
    all.tests += suite.tests;
    all.failures += suite.failures;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n{}"
      "</testsuites>\n",
      xml_text(title),
      all.tests,
      all.failures,
      all.text);
}

namespace {

constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

std::string_view level(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::info:
      return "note";
  }
  return "note";
}

Value text_message(std::string_view text) {
  return Map{{"text", text}};
}

std::string percent_encoded(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    if (kUnreserved.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

class SarifWriter {
 public:
  SarifWriter(const SourceMap& sources, const SarifOptions& options)
      : sources_{sources}, options_{options} {}

  void add(const Diagnostic& diagnostic);
  Value document() &&;

 private:
  Value physical_location(const Place& place) const;
  std::int64_t rule_index(const std::string& slug);
  std::string fingerprint(const Diagnostic& diagnostic);

  const SourceMap& sources_;
  const SarifOptions& options_;
  List results_;
  List rules_;
  std::map<std::string, std::int64_t> rule_indices_;
  std::map<std::string, int> occurrences_;
};

Value SarifWriter::physical_location(const Place& place) const {
  const std::string path = relative_path(place.path, options_.root, options_.folder);
  const bool absolute = !path.empty() && path.front() == '/';
  Map artifact{{"uri", (absolute ? "file://" : "") + percent_encoded(path)}};
  if (!absolute) artifact["uriBaseId"] = "%SRCROOT%";
  Map region{
      {"startLine", place.begin.line},
      {"startColumn", place.begin.column},
      {"endLine", place.end.line},
      {"endColumn", place.end.column}};
  return Map{{"artifactLocation", std::move(artifact)}, {"region", std::move(region)}};
}

std::int64_t SarifWriter::rule_index(const std::string& slug) {
  const auto [found, fresh] = rule_indices_.emplace(slug, static_cast<std::int64_t>(rules_.size()));
  if (fresh) {
    Map rule{{"id", slug}};
    if (const RuleInfo* info = find_rule(slug)) {
      rule["shortDescription"] = text_message(info->reason);
      rule["help"] = text_message(info->fix);
      rule["defaultConfiguration"] = Map{{"level", level(info->severity)}};
    }
    rules_.emplace_back(std::move(rule));
  }
  return found->second;
}

std::string SarifWriter::fingerprint(const Diagnostic& diagnostic) {
  const Place place = place_of(sources_, diagnostic.range);
  const std::string_view line =
      place.known ? trim(sources_.line(diagnostic.range.file, place.begin.line)) : "";
  const std::string subject = place.known ? std::string{line} : diagnostic.message;
  const std::string identity = fmt::format(
      "{}\n{}\n{}",
      diagnostic.rule,
      relative_path(place.path, options_.root, options_.folder),
      subject);
  // Equal lines with the same finding are told apart by their order.
  const int occurrence = ++occurrences_[identity];
  constexpr std::size_t kPrefix = std::string_view{"sha256:"}.size();
  return fmt::format("{}:{}", sha256(std::string_view{identity}).substr(kPrefix, 16), occurrence);
}

void SarifWriter::add(const Diagnostic& diagnostic) {
  std::string message = diagnostic.message;
  if (!diagnostic.help.empty()) message += "\nhelp: " + diagnostic.help;
  Map result{
      {"ruleId", diagnostic.rule},
      {"ruleIndex", rule_index(diagnostic.rule)},
      {"level", level(diagnostic.severity)},
      {"message", text_message(message)},
      {"partialFingerprints", Map{{"fabricFinding/v1", fingerprint(diagnostic)}}}};
  const Place place = place_of(sources_, diagnostic.range);
  if (place.known) {
    result["locations"] = List{Map{{"physicalLocation", physical_location(place)}}};
  }
  List related;
  for (const Note& note : diagnostic.related) {
    const Place other = place_of(sources_, note.range);
    Map location{
        {"id", static_cast<std::int64_t>(related.size())}, {"message", text_message(note.message)}};
    if (other.known) location["physicalLocation"] = physical_location(other);
    related.emplace_back(std::move(location));
  }
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  results_.emplace_back(std::move(result));
}

Value SarifWriter::document() && {
  Map driver{{"name", "fabric"}, {"rules", std::move(rules_)}};
  if (!options_.version.empty()) driver["version"] = options_.version;
  Map run{
      {"tool", Map{{"driver", std::move(driver)}}},
      {"columnKind", "unicodeCodePoints"},
      {"results", std::move(results_)}};
  return Map{
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", List{std::move(run)}}};
}

}  // namespace

std::string diagnostics_sarif(
    const Diagnostics& diagnostics, const SourceMap& sources, const SarifOptions& options) {
  SarifWriter writer{sources, options};
  for (const Diagnostic& item : diagnostics.items())
    writer.add(item);
  return to_json_pretty(std::move(writer).document());
}

}  // namespace fabric::report
