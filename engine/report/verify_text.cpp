#include "engine/report/verify_text.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::report {

namespace {

using verify::CableReport;
using verify::CableState;
using verify::Passage;
using verify::PathReport;

// Up to this many cables are listed one by one.
constexpr std::size_t kCablesListed = 20;

Colour colour_of(CableState state) {
  if (state == CableState::ok) return Colour::green;
  return state == CableState::no_data || state == CableState::degraded ? Colour::yellow
                                                                       : Colour::red;
}

std::string cables_text(const verify::Report& report, const Style& style) {
  if (report.cables.empty()) return {};
  std::map<std::string_view, std::size_t> states;
  for (const CableReport& cable : report.cables)
    ++states[to_string(cable.state)];
  std::vector<std::string> counts;
  for (const auto& [state, number] : states)
    counts.push_back(fmt::format("{} {}", number, state));
  std::string text = fmt::format("Cables  {}\n", join(counts, ", "));
  const bool all = report.cables.size() <= kCablesListed || style.verbose;
  for (const CableReport& cable : report.cables) {
    if (!all && cable.state == CableState::ok) continue;
    constexpr std::size_t kStateColumns = 10;
    std::string line = fmt::format("{} - {}", cable.a.str(), cable.b.str());
    if (!cable.detail.empty()) line += ": " + cable.detail;
    text += "  " +
            paint(style, colour_of(cable.state), pad(to_string(cable.state), kStateColumns)) +
            wrap(line, style.width - 2 - kStateColumns, 4) + '\n';
  }
  return text;
}

std::string paths_text(const verify::Report& report) {
  if (report.paths.empty()) return {};
  const auto number_of = [&](auto test) {
    return static_cast<std::size_t>(std::count_if(report.paths.begin(), report.paths.end(), test));
  };
  const std::size_t full =
      number_of([](const PathReport& path) { return path.full == Passage::passed; });
  const std::size_t only_small = number_of([](const PathReport& path) {
    return path.small == Passage::passed && path.full == Passage::lost;
  });
  const std::size_t lost =
      number_of([](const PathReport& path) { return path.small == Passage::lost; });
  const std::size_t untested = report.paths.size() - full - only_small - lost;
  std::string text =
      fmt::format("Paths   {} of {} pass with the full MTU", full, report.paths.size());
  if (only_small != 0) text += fmt::format(", {} only with small frames", only_small);
  if (lost != 0) text += fmt::format(", {} lost", lost);
  if (untested != 0) text += fmt::format(", {} untested", untested);
  return text + '\n';
}

std::string finding_text(
    const verify::Finding& finding, const SourceMap& sources, const Style& style) {
  const Colour colour = finding.severity == Severity::error ? Colour::red : Colour::yellow;
  std::string text =
      paint(style, colour, fmt::format("{}[{}]", to_string(finding.severity), finding.rule));
  std::string message = ": " + finding.message;
  if (is_known(finding.range)) {
    const Position place = sources.position(finding.range.file, finding.range.begin);
    message +=
        fmt::format(" ({}:{}:{})", sources.path(finding.range.file), place.line, place.column);
  }
  text = wrap(text + message, style.width, 4) + '\n';
  if (!finding.help.empty())
    text += "    " + wrap("help: " + finding.help, style.width - 4, 4) + '\n';
  return text;
}

}  // namespace

std::string verify_text(
    const verify::Report& report, const SourceMap& sources, const Style& style) {
  std::string text = cables_text(report, style) + paths_text(report);
  if (!report.findings.empty()) text += '\n';
  for (const verify::Finding& finding : report.findings)
    text += finding_text(finding, sources, style);
  const auto errors = static_cast<std::size_t>(std::count_if(
      report.findings.begin(), report.findings.end(), [](const verify::Finding& finding) {
        return finding.severity == Severity::error;
      }));
  if (errors != 0) {
    return text + '\n' +
           paint(style, Colour::red, fmt::format("Verify: {}.", count(errors, "finding"))) + '\n';
  }
  const std::string good = report.findings.empty()
                               ? "Verify: the fabric is what the document says."
                               : "Verify: nothing is wrong in what could be tested.";
  return text + '\n' + paint(style, Colour::green, good) + '\n';
}

}  // namespace fabric::report
