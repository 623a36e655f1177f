// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/junit.hpp"

#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/report/diagnostics/place.hpp"
#include "engine/report/tables/html.hpp"

namespace fabric::report {

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

}  // namespace fabric::report
