// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/evidence/counters.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/switch_port.hpp"

namespace fabric::verify {

namespace {

// sysfs-class-net: carrier_changes counts ups and downs; carrier_down_count is there since Linux
// 4.16 and says it better.
constexpr std::string_view kEitherWay = "carrier_changes";
constexpr std::string_view kDown = "carrier_down_count";

bool is_lost_link(std::string_view counter) {
  return counter == kDown || counter == kEitherWay || counter == "link_downed";
}

// The width of a PortCounters field, at whose top the counter stops (E-ib-counter-widths). The
// counters of network devices have 64 bits.
std::optional<std::uint64_t> top_of(std::string_view counter) {
  struct Top {
    std::string_view counter;
    std::uint64_t value;
  };
  static constexpr Top kTops[] = {
      {"symbol_error", 0xffff},
      {"link_error_recovery", 0xff},
      {"link_downed", 0xff},
      {"port_rcv_errors", 0xffff},
      {"port_rcv_remote_physical_errors", 0xffff},
      {"local_link_integrity_errors", 0xf},
      {"excessive_buffer_overrun_errors", 0xf}};
  const auto* found = std::find_if(
      std::begin(kTops), std::end(kTops), [&](const Top& top) { return top.counter == counter; });
  return found == std::end(kTops) ? std::nullopt : std::optional{found->value};
}

void compare(CounterReport& report, const Counters& before, const Counters& after) {
  const bool says_down = before.contains(std::string{kDown});
  for (const auto& [name, then] : before) {
    const auto now = after.find(name);
    if (now == after.end() || (says_down && name == kEitherWay)) continue;
    if (report.state == CounterState::unknown) report.state = CounterState::still;
    if (now->second == top_of(name)) {
      report.saturated.emplace(name, now->second);
      if (report.state == CounterState::still) report.state = CounterState::saturated;
    }
    if (now->second == then) continue;
    report.state = CounterState::moved;
    report.moved.push_back({name, then, now->second});
  }
}

const Counters* counters_of(const PortReadings& readings, const std::string& interface) {
  const auto found = readings.interfaces.find(interface);
  return found == readings.interfaces.end() ? nullptr : &found->second;
}

const RdmaPort* same_rdma(const PortReadings& readings, const RdmaPort& port) {
  const auto found = std::ranges::find_if(readings.rdma, [&](const RdmaPort& other) {
    return other.device == port.device && other.number == port.number;
  });
  return found == readings.rdma.end() ? nullptr : &*found;
}

CounterReport report_of(
    const PortRef& port,
    const discovery::PortEvidence& evidence,
    const PortReadings& before,
    const PortReadings& after) {
  CounterReport report{port, evidence.device->name, {}, CounterState::unknown, {}, {}};
  const Counters* then = counters_of(before, report.interface);
  const Counters* now = counters_of(after, report.interface);
  if (then != nullptr && now != nullptr) compare(report, *then, *now);
  const RdmaPort* rdma =
      evidence.card ? before.rdma_of(report.interface, *evidence.card, port.number()) : nullptr;
  if (rdma != nullptr) {
    report.rdma = rdma->str();
    if (const RdmaPort* later = same_rdma(after, *rdma))
      compare(report, rdma->counters, later->counters);
  }
  if (report.state != CounterState::unknown) return report;
  for (const PortReadings* readings : {&before, &after}) {
    if (report.why_unknown.empty()) report.why_unknown = readings->why_not;
  }
  if (report.why_unknown.empty()) report.why_unknown = "its kernel has no counters for this port";
  return report;
}

// The report of a port of a switch with counters, whose readings have the switch's own name of the
// port, which the document may write as a bare number.
CounterReport switch_report(
    const PortRef& port, const PortReadings& before, const PortReadings& after) {
  const auto found = std::ranges::find_if(before.interfaces, [&](const auto& interface) {
    const auto native = SwitchPort::parse(interface.first);
    return native && native->str() == port.port;
  });
  CounterReport report{port, {}, {}, CounterState::unknown, {}, {}};
  if (found == before.interfaces.end()) {
    report.why_unknown =
        before.why_not.empty() ? "the switch has no counters for this port" : before.why_not;
    return report;
  }
  report.interface = found->first;
  if (const Counters* now = counters_of(after, report.interface); now != nullptr)
    compare(report, found->second, *now);
  if (report.state == CounterState::unknown)
    report.why_unknown =
        after.why_not.empty() ? "the switch has no counters for this port" : after.why_not;
  return report;
}

const PortReadings& readings_of(const ReadingsByNode& all, const NodeName& node) {
  static const PortReadings nothing{{}, {}, {}, "its counters were not read"};
  const auto found = all.find(node);
  return found == all.end() ? nothing : found->second;
}

// The cable at the port, by index in the order of judge_cables(); nullopt: there is none.
struct CableAt {
  std::optional<std::size_t> index;
  SourceRange range;
};

CableAt cable_at(const FabricSpec& spec, const PortRef& port) {
  std::size_t index = 0;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      if (cable.a.value == port || cable.b.value == port) return {index, cable.range};
      ++index;
    }
  }
  return {std::nullopt, place_of_node(spec, port.node)};
}

// No error is known to be new: the counter may have stood there for years.
void add_saturated(const FabricSpec& spec, const CounterReport& report, Findings& findings) {
  if (report.saturated.empty()) return;
  std::vector<std::string> counters;
  for (const auto& [name, value] : report.saturated)
    counters.push_back(fmt::format("{} {}", name, value));
  const CableAt cable = cable_at(spec, report.port);
  findings.add(
      {Severity::warning,
       "counter-saturated",
       cable.range,
       fmt::format(
           "{} ({}) are at their top and count no further: {}",
           report.port.str(),
           report.rdma.empty() ? report.interface : report.rdma,
           join(counters, ", ")),
       "set the counters to 0 and verify again: perfquery -R, at the port",
       {},
       report.port.subject()},
      cable.index ? finding_of(findings.broken_cables, *cable.index) : std::nullopt);
}

}  // namespace

std::vector<CounterReport> compare_counters(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const ReadingsByNode& before,
    const ReadingsByNode& after) {
  const discovery::Evidence evidence{spec, snapshot};
  std::set<PortRef> ports;
  for (const auto& [name, network] : spec.networks) {
    for (const PortRef& port : network.member_ports())
      ports.insert(port);
  }
  std::vector<CounterReport> reports;
  for (const PortRef& port : ports) {
    if (port.adapter.empty()) {
      const bool is_read = before.contains(port.node) || after.contains(port.node);
      if (!is_read) continue;
      reports.push_back(
          switch_report(port, readings_of(before, port.node), readings_of(after, port.node)));
      continue;
    }
    const discovery::PortEvidence found = evidence.port(port);
    if (!found.device) continue;
    reports.push_back(
        report_of(port, found, readings_of(before, port.node), readings_of(after, port.node)));
  }
  return reports;
}

void add_counter_findings(
    const FabricSpec& spec, const std::vector<CounterReport>& counters, Findings& findings) {
  for (const CounterReport& report : counters) {
    add_saturated(spec, report, findings);
    if (report.state != CounterState::moved) continue;
    std::vector<std::string> moved;
    bool lost = false;
    for (const MovedCounter& counter : report.moved) {
      moved.push_back(fmt::format("{} from {} to {}", counter.name, counter.before, counter.after));
      lost = lost || is_lost_link(counter.name);
    }
    const CableAt cable = cable_at(spec, report.port);
    Diagnostic finding{
        lost ? Severity::error : Severity::warning,
        "link-errors",
        cable.range,
        fmt::format(
            "{} ({}) counted {} during the verify: {}",
            report.port.str(),
            report.interface,
            lost ? "a lost link" : "errors",
            join(moved, ", ")),
        {},
        {},
        report.port.subject()};
    finding.with_help(
        "clean or reseat both plugs, then try another cable; see also " +
        (report.port.adapter.empty() ? "the counters at the switch"
                                     : "`ethtool -S " + report.interface + "`"));
    findings.add(
        std::move(finding),
        cable.index ? finding_of(findings.broken_cables, *cable.index) : std::nullopt);
  }
}

}  // namespace fabric::verify
