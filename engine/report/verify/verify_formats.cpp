// SPDX-License-Identifier: Apache-2.0
#include "engine/report/verify/verify_formats.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/report/diagnostics/text.hpp"
#include "engine/report/verify/report_tables.hpp"
#include "engine/value/lists.hpp"

namespace fabric::report {

Value cable_value(const verify::CableReport& cable) {
  Map value{
      {"ends", List{cable.a.str(), cable.b.str()}},
      {"network", cable.network},
      {"state", to_string(cable.state)}};
  if (!cable.detail.empty()) value.emplace("detail", cable.detail);
  return value;
}

Value cable_value(const verify::UnexpectedCable& cable) {
  return Map{{"ends", List{cable.a, cable.b}}, {"state", "unexpected"}};
}

Value path_value(const verify::PathReport& path) {
  Map value{
      {"from", path.path.from.str()},
      {"to", path.path.to.str()},
      {"network", path.path.network},
      {"interface", path.path.from_interface},
      {"address", path.path.to_address},
      {"mtu", path.path.mtu},
      {"small", to_string(path.small)},
      {"full", to_string(path.full)}};
  if (!path.path.vlan.empty()) value.emplace("vlan", path.path.vlan);
  if (!path.detail.empty()) value.emplace("detail", path.detail);
  return value;
}

Value counter_value(const verify::CounterReport& counter) {
  List moved;
  for (const verify::MovedCounter& one : counter.moved) {
    moved.push_back(
        Map{{"name", one.name},
            {"before", static_cast<std::int64_t>(one.before)},
            {"after", static_cast<std::int64_t>(one.after)}});
  }
  Map value{
      {"port", counter.port.str()},
      {"interface", counter.interface},
      {"state", to_string(counter.state)},
      {"moved", std::move(moved)}};
  if (!counter.rdma.empty()) value.emplace("rdma", counter.rdma);
  Map saturated;
  for (const auto& [name, top] : counter.saturated)
    saturated.emplace(name, static_cast<std::int64_t>(top));
  if (!saturated.empty()) value.emplace("saturated", std::move(saturated));
  if (!counter.why_unknown.empty()) value.emplace("detail", counter.why_unknown);
  return value;
}

Value finding_value(const verify::Report& report, std::size_t index, const SourceMap& sources) {
  Value value = diagnostic_value(report.findings[index], sources);
  if (const auto cause = report.cause_of.find(index); cause != report.cause_of.end()) {
    const Diagnostic& finding = report.findings[cause->second];
    value.as_map()->emplace("cause", Map{{"rule", finding.rule}, {"message", finding.message}});
  }
  return value;
}

Value failover_value(const verify::FailoverReport& report) {
  return Map{
      {"port", report.failover.place()},
      {"network", report.failover.network},
      {"bond", report.failover.bond},
      {"policy", report.failover.policy},
      {"state", std::string{to_string(report.state)}},
      {"sent", static_cast<std::int64_t>(report.sent)},
      {"received", static_cast<std::int64_t>(report.received)},
      {"longest_gap_seconds", report.longest_gap},
      {"silent", to_list(report.silent)},
      {"detail", report.detail}};
}

Value manager_value(const verify::ManagerReport& manager) {
  Map value{{"network", manager.network}, {"port", manager.port.str()}};
  if (!manager.state.empty()) value.emplace("state", manager.state);
  if (!manager.master.empty()) value.emplace("master", manager.master);
  if (!manager.since.empty()) value.emplace("since", manager.since);
  if (!manager.routed_by.empty()) value.emplace("routed_by", manager.routed_by);
  return value;
}

Value roce_value(const verify::RoceAddressReport& report) {
  Map value{{"port", report.port.str()}, {"address", report.address}, {"rdma", report.rdma}};
  if (report.index) value.emplace("gid_index", static_cast<std::int64_t>(*report.index));
  return value;
}

Value verify_json(const verify::Report& report, const SourceMap& sources) {
  List cables;
  List paths;
  List counters;
  List flows;
  List failovers;
  List links;
  List addresses;
  List findings;
  for (const verify::CableReport& cable : report.cables)
    cables.push_back(cable_value(cable));
  for (const verify::UnexpectedCable& cable : report.unexpected)
    cables.push_back(cable_value(cable));
  for (const verify::PathReport& path : report.paths)
    paths.push_back(path_value(path));
  for (const verify::CounterReport& counter : report.counters)
    counters.push_back(counter_value(counter));
  for (const verify::FlowReport& flow : report.flows)
    flows.push_back(flow_value(flow));
  for (const verify::FailoverReport& failover : report.failovers)
    failovers.push_back(failover_value(failover));
  for (const verify::RoceAddressReport& address : report.roce_addresses)
    addresses.push_back(roce_value(address));
  for (const verify::LinkReport& link : report.links)
    links.push_back(link_value(link));
  for (std::size_t index = 0; index < report.findings.size(); ++index)
    findings.push_back(finding_value(report, index, sources));
  Map value{
      {"ok", report.ok()},
      {"cables", std::move(cables)},
      {"paths", std::move(paths)},
      {"counters", std::move(counters)},
      {"flows", std::move(flows)},
      {"links", std::move(links)},
      {"roce_addresses", std::move(addresses)},
      {"failovers", std::move(failovers)},
      {"managers", to_list(report.managers, manager_value)},
      {"findings", std::move(findings)}};
  if (!report.apart.empty()) {
    List isolated;
    for (const verify::ApartReport& each : report.apart) {
      isolated.emplace_back(
          Map{{"a", each.a},
              {"b", each.b},
              {"state", to_string(each.state)},
              {"lost", static_cast<std::int64_t>(each.lost)},
              {"detail", each.detail}});
    }
    value.emplace("isolated", std::move(isolated));
  }
  if (!report.qos.empty()) {
    value.emplace("qos", to_list(report.qos, qos_value));
  }
  return value;
}

namespace {

using verify::CableReport;
using verify::CableState;
using verify::Passage;
using verify::PathReport;

// How many cables the table lists; --verbose lists all.
constexpr std::size_t kCablesListed = 20;
constexpr std::size_t kListedOfState = 5;
constexpr std::size_t kStateColumns = 10;

Colour colour_of(CableState state) {
  if (state == CableState::ok) return Colour::green;
  const bool is_doubtful =
      state == CableState::no_data || state == CableState::degraded || state == CableState::offline;
  return is_doubtful ? Colour::yellow : Colour::red;
}

Text rest_text(const Text& state, std::size_t more) {
  return compose("  {}and {} more (--verbose lists them)\n", pad(state, kStateColumns), more);
}

Text cable_text(const CableReport& cable, const Style& style) {
  Text line = compose("{} - {}", cable.a.str(), cable.b.str());
  if (!cable.detail.empty()) line += compose(": {}", cable.detail);
  return "  " + paint(style, colour_of(cable.state), pad(to_string(cable.state), kStateColumns)) +
         wrap(line, style.width - 2 - kStateColumns, 4) + "\n";
}

Text cables_text(const verify::Report& report, const Style& style) {
  if (report.cables.empty() && report.unexpected.empty()) return {};
  std::map<std::string_view, std::size_t> states;
  for (const CableReport& cable : report.cables)
    ++states[to_string(cable.state)];
  std::vector<Text> counts;
  for (const auto& [state, number] : states)
    counts.push_back(compose("{} {}", number, state));
  if (!report.unexpected.empty())
    counts.push_back(compose("{} unexpected", report.unexpected.size()));
  Text text = compose("Cables  {}\n", join_texts(counts, ", "));
  const bool all = report.cables.size() <= kCablesListed || style.verbose;
  std::map<std::string_view, std::size_t> listed;
  for (const CableReport& cable : report.cables) {
    if (!all && cable.state == CableState::ok) continue;
    if (!all && ++listed[to_string(cable.state)] > kListedOfState) continue;
    text += cable_text(cable, style);
  }
  for (const auto& [state, number] : listed) {
    if (number > kListedOfState) text += rest_text(state, number - kListedOfState);
  }
  const std::size_t shown =
      style.verbose ? report.unexpected.size() : std::min(report.unexpected.size(), kListedOfState);
  for (std::size_t i = 0; i < shown; ++i)
    text += compose("  unexpected {} - {}\n", report.unexpected[i].a, report.unexpected[i].b);
  if (shown < report.unexpected.size())
    text += rest_text("unexpected ", report.unexpected.size() - shown);
  return text;
}

Text paths_text(const verify::Report& report) {
  if (report.paths.empty()) return {};
  const auto number_of = [&](auto test) {
    return static_cast<std::size_t>(std::ranges::count_if(report.paths, test));
  };
  const std::size_t full =
      number_of([](const PathReport& path) { return path.full == Passage::passed; });
  const std::size_t only_small = number_of([](const PathReport& path) {
    return path.small == Passage::passed && path.full == Passage::lost;
  });
  const std::size_t lost =
      number_of([](const PathReport& path) { return path.small == Passage::lost; });
  const std::size_t untested = report.paths.size() - full - only_small - lost;
  Text text = compose("Paths   {} of {} pass with the full MTU", full, report.paths.size());
  if (only_small != 0) text += compose(", {} only with small frames", only_small);
  if (lost != 0) text += compose(", {} lost", lost);
  if (untested != 0) text += compose(", {} untested", untested);
  return text + "\n";
}

Text roce_text(const verify::Report& report, const Style& style) {
  if (report.roce_addresses.empty()) return {};
  std::size_t usable = 0;
  Text rows;
  for (const verify::RoceAddressReport& each : report.roce_addresses) {
    if (each.index) ++usable;
    if (!style.verbose || !each.index) continue;
    rows +=
        compose("  {} {}: {}, index {}\n", each.port.str(), each.address, each.rdma, *each.index);
  }
  return compose(
             "RoCE    {} of {} addresses have a GID of RoCE v2\n",
             usable,
             report.roce_addresses.size()) +
         rows;
}

Text apart_text(const verify::Report& report) {
  if (report.apart.empty()) return {};
  std::size_t apart = 0, lost = 0;
  for (const verify::ApartReport& each : report.apart) {
    apart += each.state == verify::Apart::proven ? 1 : 0;
    lost += each.lost;
  }
  return compose(
      "Isolated  {} of {} pairs kept apart: {} {}, as they must be\n",
      apart,
      report.apart.size(),
      lost,
      lost == 1 ? "ping was lost" : "pings were lost");
}

Text counters_text(const verify::Report& report) {
  if (report.counters.empty()) return {};
  std::size_t still = 0;
  std::size_t unknown = 0;
  std::size_t saturated = 0;
  for (const verify::CounterReport& counter : report.counters) {
    if (counter.state == verify::CounterState::still) ++still;
    if (counter.state == verify::CounterState::unknown) ++unknown;
    if (counter.state == verify::CounterState::saturated) ++saturated;
  }
  const std::size_t all = report.counters.size();
  Text text = compose("Errors  none new at {} of {} ports", still, all);
  const std::size_t moved = all - still - unknown - saturated;
  if (moved != 0) text += compose(", new at {}", moved);
  if (saturated != 0) text += compose(", counters full at {}", saturated);
  if (unknown != 0) text += compose(", unknown at {}", unknown);
  return text + "\n";
}

Text failovers_text(const verify::Report& report) {
  if (report.failovers.empty()) return {};
  std::size_t passed = 0, closed = 0, stopped = 0;
  Text rows;
  for (const verify::FailoverReport& each : report.failovers) {
    if (each.failover.bond.empty()) {
      rows += compose("  {:10}{}\n", to_string(each.state), each.detail);
      continue;
    }
    if (each.failover.policy == "chain" && each.state != verify::FailoverState::untested) {
      rows += compose(
          "  {:10}{} without {}: {} of {} paths passed that must be left\n",
          to_string(each.state),
          each.failover.bond,
          each.failover.port.str(),
          each.received,
          each.sent);
      continue;
    }
    if (each.failover.policy == "manager") {
      ++stopped;
      rows += compose(
          "  {:10}{} of {}: {}\n",
          to_string(each.state),
          each.failover.bond,
          each.failover.place(),
          each.detail);
      continue;
    }
    if (each.state == verify::FailoverState::untested) {
      rows += compose(
          "  {:10}{} of {}: {}\n",
          to_string(each.state),
          each.failover.port.str(),
          each.failover.bond,
          each.detail);
      continue;
    }
    ++closed;
    if (each.state == verify::FailoverState::passed) ++passed;
    rows += compose(
        "  {:10}{} of {}, {}: {} of {} replies came, {:.1f} s without one at most\n",
        to_string(each.state),
        each.failover.port.str(),
        each.failover.bond,
        each.failover.policy,
        each.received,
        each.sent,
        each.longest_gap);
  }
  if (closed == 0) return (stopped == 0 ? "Failover  no port was closed\n" : "Failover\n") + rows;
  return compose("Failover  frames went on at {} of {} ports that were closed\n", passed, closed) +
         rows;
}

Text managers_text(const verify::Report& report) {
  Text text;
  for (const verify::ManagerReport& each : report.managers) {
    if (each.state == "external") {
      text += compose(
          "  {:10}{} of network {}, heard by {}\n",
          each.state,
          each.master,
          each.network,
          each.port.str());
      continue;
    }
    const std::string state = each.state.empty() ? "unknown" : each.state;
    text += compose("  {:10}{} of network {}", state, each.port.str(), each.network);
    if (!each.since.empty()) text += compose(" since {} (its node's clock)", each.since);
    if (each.state != "master" && !each.master.empty()) text += ", its master is " + each.master;
    if (each.state == "master" && !each.routed_by.empty()) text += ", routed by " + each.routed_by;
    text += "\n";
  }
  return text.empty() ? text : "Managers\n" + text;
}

// Not "all is well" after a warning: a slow cable is not as in the document.
Text conclusion(const verify::Report& report, const Diagnostics& shown, const Style& style) {
  const Colour colour = shown.has_errors()                    ? Colour::red
                        : shown.count(Severity::warning) != 0 ? Colour::yellow
                                                              : Colour::green;
  return paint(style, colour, compose("Verify: {}", verify_verdict(report, shown)));
}

struct Judged {
  std::size_t cables = 0, all_cables = 0;
  std::size_t paths = 0, all_paths = 0;
  bool something = false;
};

// Nodes that are known to be down are not expected to answer.
Judged judged_of(const verify::Report& report) {
  Judged judged;
  for (const CableReport& cable : report.cables) {
    if (cable.state == CableState::offline) continue;
    ++judged.all_cables;
    if (cable.state != CableState::no_data) ++judged.cables;
  }
  judged.all_paths = report.paths.size();
  judged.paths = static_cast<std::size_t>(std::ranges::count_if(
      report.paths, [](const PathReport& path) { return path.small != Passage::untested; }));
  judged.something = judged.cables != 0 || judged.paths != 0 || !report.counters.empty() ||
                     !report.flows.empty() || !report.failovers.empty() ||
                     !report.managers.empty() || !report.subnet_ports.empty() ||
                     !report.links.empty() || !report.roce_addresses.empty() || !report.qos.empty();
  return judged;
}

std::string judged_parts(const Judged& judged) {
  const auto part = [](std::size_t some, std::size_t all, const char* what) {
    return all == 0 ? std::string{} : fmt::format("{} of {} {}", some, all, what);
  };
  std::string text = part(judged.cables, judged.all_cables, "cables");
  const std::string paths = part(judged.paths, judged.all_paths, "paths");
  if (!text.empty() && !paths.empty()) text += " and ";
  text += paths;
  return text;
}

Text hidden_text(std::size_t hidden) {
  if (hidden == 0) return {};
  return hidden == 1
             ? "1 more finding follows from these; --verbose lists it.\n"
             : compose("{} more findings follow from these; --verbose lists them.\n", hidden);
}

}  // namespace

std::string verify_verdict(const verify::Report& report, const Diagnostics& shown) {
  const Judged judged = judged_of(report);
  const std::string parts = judged_parts(judged);
  const std::string how_much = parts.empty() ? "" : "; " + parts + " judged";
  if (shown.has_errors()) return diagnostics_summary(shown) + how_much + '.';
  // An information is no problem of the fabric.
  if (shown.count(Severity::warning) != 0) {
    return fmt::format(
        "no error, {} about what differs or could not be tested{}.",
        diagnostics_summary(shown),
        how_much);
  }
  if (!judged.something) {
    return fmt::format(
        "nothing was judged{}: no source that this level reads had an answer.",
        parts.empty() ? "" : " (" + parts + ")");
  }
  return "the fabric is what the document says" + how_much + ".";
}

Diagnostics causes(const verify::Report& report) {
  Diagnostics shown;
  for (std::size_t index = 0; index < report.findings.size(); ++index) {
    if (!report.cause_of.contains(index)) shown.add(report.findings[index]);
  }
  return shown;
}

Diagnostics verify_findings(const verify::Report& report) {
  Diagnostics findings;
  for (const Diagnostic& finding : report.findings)
    findings.add(finding);
  return findings;
}

Text verify_text(const verify::Report& report, const SourceMap& sources, const Style& style) {
  const Diagnostics shown = style.verbose ? verify_findings(report) : causes(report);
  const std::size_t hidden = report.findings.size() - shown.items().size();
  return cables_text(report, style) + paths_text(report) + apart_text(report) +
         flow_table(report.flows) + roce_text(report, style) + counters_text(report) +
         qos_table(report.qos, style) + link_table(report.links, style) + failovers_text(report) +
         managers_text(report) + "\n" + diagnostics_text(shown, sources, style) +
         hidden_text(hidden) + conclusion(report, shown, style) + "\n";
}

}  // namespace fabric::report
