#include "engine/report/verify/verify_text.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/report/verify/flow_table.hpp"

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
  if (report.cables.empty() && report.unexpected.empty()) return {};
  std::map<std::string_view, std::size_t> states;
  for (const CableReport& cable : report.cables)
    ++states[to_string(cable.state)];
  std::vector<std::string> counts;
  for (const auto& [state, number] : states)
    counts.push_back(fmt::format("{} {}", number, state));
  if (!report.unexpected.empty())
    counts.push_back(fmt::format("{} unexpected", report.unexpected.size()));
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
  for (const verify::UnexpectedCable& cable : report.unexpected)
    text += fmt::format("  unexpected {} - {}\n", cable.a, cable.b);
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

std::string counters_text(const verify::Report& report) {
  if (report.counters.empty()) return {};
  std::size_t still = 0;
  std::size_t unknown = 0;
  for (const verify::CounterReport& counter : report.counters) {
    if (counter.state == verify::CounterState::still) ++still;
    if (counter.state == verify::CounterState::unknown) ++unknown;
  }
  const std::size_t all = report.counters.size();
  std::string text = fmt::format("Errors  none new at {} of {} ports", still, all);
  if (still + unknown != all) text += fmt::format(", new at {}", all - still - unknown);
  if (unknown != 0) text += fmt::format(", unknown at {}", unknown);
  return text + '\n';
}

std::string failovers_text(const verify::Report& report) {
  if (report.failovers.empty()) return {};
  std::size_t passed = 0, closed = 0;
  std::string rows;
  for (const verify::FailoverReport& each : report.failovers) {
    if (each.state == verify::FailoverState::untested) {
      rows += fmt::format(
          "  {:10}{} of {}: {}\n",
          to_string(each.state),
          each.failover.port.str(),
          each.failover.bond,
          each.detail);
      continue;
    }
    ++closed;
    if (each.state == verify::FailoverState::passed) ++passed;
    rows += fmt::format(
        "  {:10}{} of {}, {}: {} of {} replies came, {:.1f} s without one at most\n",
        to_string(each.state),
        each.failover.port.str(),
        each.failover.bond,
        each.failover.policy,
        each.received,
        each.sent,
        each.longest_gap);
  }
  return fmt::format(
             "Failover  frames went on at {} of {} ports that were closed\n", passed, closed) +
         rows;
}

std::string managers_text(const verify::Report& report) {
  std::string text;
  for (const verify::ManagerReport& each : report.managers) {
    if (each.state == "external") {
      text += fmt::format(
          "  {:10}{} of network {}, heard by {}\n",
          each.state,
          each.master,
          each.network,
          each.port.str());
      continue;
    }
    const std::string state = each.state.empty() ? "unknown" : each.state;
    text += fmt::format("  {:10}{} of network {}", state, each.port.str(), each.network);
    if (!each.since.empty()) text += fmt::format(" since {} (its node's clock)", each.since);
    if (each.state != "master" && !each.master.empty()) text += ", its master is " + each.master;
    if (each.state == "master" && !each.routed_by.empty()) text += ", routed by " + each.routed_by;
    text += '\n';
  }
  return text.empty() ? text : "Managers\n" + text;
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

// Not "all is well" when a warning stands above it: a slow cable is not what the document says.
std::string conclusion(const verify::Report& report, const Style& style) {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  for (const verify::Finding& finding : report.findings) {
    ++(finding.severity == Severity::error ? errors : warnings);
  }
  std::vector<std::string> found;
  if (errors != 0) found.push_back(count(errors, "error"));
  if (warnings != 0) found.push_back(count(warnings, "warning"));
  if (errors != 0) return paint(style, Colour::red, "Verify: " + join(found, ", ") + ".");
  if (warnings != 0) {
    return paint(
        style,
        Colour::yellow,
        fmt::format("Verify: no error, {} about what differs or could not be tested.", found[0]));
  }
  return paint(style, Colour::green, "Verify: the fabric is what the document says.");
}

}  // namespace

std::string verify_text(
    const verify::Report& report, const SourceMap& sources, const Style& style) {
  std::string text = cables_text(report, style) + paths_text(report) + flow_table(report.flows) +
                     counters_text(report) + failovers_text(report) + managers_text(report);
  if (!report.findings.empty()) text += '\n';
  for (const verify::Finding& finding : report.findings)
    text += finding_text(finding, sources, style);
  return text + '\n' + conclusion(report, style) + '\n';
}

}  // namespace fabric::report
