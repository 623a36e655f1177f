// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/failover/ring_failover.hpp"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "engine/discovery/reach_fabric.hpp"
#include "engine/verify/paths/endpoints.hpp"

namespace fabric::verify {

namespace {

constexpr const char* kUnplug =
    "all cables and hosts of the ring are there, so nothing was tested: a port that its host "
    "closes may keep its link, and its card still forwards frames; unplug a cable by hand, then "
    "run this again";

FailoverReport report_of(const NetworkSpec& network, const PortRef& port) {
  return {
      {network.name, "ring " + network.name, "chain", port, {}, {}, {}},
      FailoverState::untested,
      0,
      0,
      0,
      {},
      {}};
}

// The first end of the first cable of the network with no carrier at either end.
std::optional<PortRef> unplugged(const NetworkSpec& network, const reach::Away& away) {
  for (const CableSpec& cable : network.cables) {
    if (away.dark.contains(cable.a.value) && away.dark.contains(cable.b.value))
      return cable.a.value;
  }
  return std::nullopt;
}

std::optional<PortRef> gone(const NetworkSpec& network, const reach::Away& away) {
  for (const PortRef& port : network.member_ports()) {
    if (away.nodes.contains(port.node)) return port;
  }
  return std::nullopt;
}

void judge(
    FailoverReport& report,
    const NetworkSpec& network,
    const reach::NetworkNow& now,
    const std::vector<PathReport>& paths) {
  const reach::Reachability reachability{now.fabric, now.away};
  std::string lost;
  for (const PathReport& path : paths) {
    const IpAddress* source = address_of({&network.ipv4}, {path.path.from});
    const IpAddress* target = address_of({&network.ipv4}, {path.path.to});
    if (path.path.network != network.name || path.small == Passage::untested || source == nullptr ||
        target == nullptr || path.path.to_address != target->str())
      continue;
    const reach::Verdict verdict =
        reachability.between(path.path.from, *source, path.path.to, *target, reach::Bound::address);
    if (verdict.state != reach::State::kept) continue;
    ++report.sent;
    report.received += path.small == Passage::passed ? 1U : 0U;
    if (path.small == Passage::lost && lost.empty())
      lost = fmt::format("{} -> {}", path.path.from.str(), path.path.to.str());
  }
  report.state = FailoverState::passed;
  if (report.sent == 0) {
    report.state = FailoverState::failed;
    report.detail = "the rest of the ring carries no path, by the settings of its hosts";
  } else if (!lost.empty()) {
    report.state = FailoverState::failed;
    report.detail = fmt::format(
        "{} of {} paths are lost that the rest of the ring should carry, for example {}",
        report.sent - report.received,
        report.sent,
        lost);
  }
}

}  // namespace

std::vector<FailoverReport> ring_failovers(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const std::vector<PathReport>& paths) {
  std::vector<FailoverReport> reports;
  for (const reach::NetworkNow& now : discovery::observed_paths(spec, snapshot)) {
    const NetworkSpec& network = spec.networks.at(now.network);
    const std::vector<PortRef> members = network.member_ports();
    if (members.empty()) continue;
    std::optional<PortRef> away = unplugged(network, now.away);
    if (!away) away = gone(network, now.away);
    FailoverReport report = report_of(network, away.value_or(members.front()));
    if (away) {
      judge(report, network, now, paths);
    } else {
      report.detail = kUnplug;
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

FailoverReport nothing_to_fail_over(const FabricSpec& spec) {
  FailoverReport report{
      {{}, {}, {}, {spec.nodes.begin()->first, {}, {}}, {}, {}, {}},
      FailoverState::untested,
      0,
      0,
      0,
      {},
      "the document has no bond and no ring of its hosts, so nothing was tested"};
  return report;
}

}  // namespace fabric::verify
