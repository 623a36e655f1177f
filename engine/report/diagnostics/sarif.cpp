// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/sarif.hpp"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/report/diagnostics/place.hpp"
#include "engine/report/diagnostics/rule_table.hpp"
#include "engine/value/digest.hpp"
#include "engine/value/json.hpp"

namespace fabric::report {

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
