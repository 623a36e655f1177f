#include <algorithm>

#include <fmt/format.h>

#include "engine/verify/cables/cables.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/evidence/evidence.hpp"
#include "engine/verify/evidence/renamed_interfaces.hpp"
#include "engine/verify/flows/flow_findings.hpp"
#include "engine/verify/paths/localise.hpp"
#include "engine/verify/paths/roce_lag.hpp"
#include "engine/verify/paths/topology.hpp"
#include "engine/verify/subnet/managers.hpp"
#include "engine/verify/subnet/subnet_ports.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::verify {

namespace {

void add(std::vector<Finding>& findings, std::vector<Finding> more) {
  for (Finding& finding : more)
    findings.push_back(std::move(finding));
}

std::vector<Finding> unreached_nodes(const FabricSpec& spec, const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const auto& [name, node] : spec.nodes) {
    const NodeEvidence& found = evidence.node(name);
    if (!is_host_of_ours(spec, node) || found.reached) continue;
    findings.push_back(
        {"not-reachable",
         Severity::error,
         fmt::format(
             "{} was not reached, so nothing is known of its ports: {}", name.str(), found.why_not),
         {},
         node.range});
  }
  return findings;
}

// In a plan a warning, for no plan can mend it; to whom asks whether the fabric works, an error.
std::vector<Finding> ailing_bonds(const Diagnostics& of_resources) {
  std::vector<Finding> findings;
  for (const Diagnostic& item : of_resources.items()) {
    if (item.rule != "bond-not-aggregated") continue;
    findings.push_back(
        {item.rule,
         Severity::error,
         item.message,
         "look at the cable, and at the other end's LACP or channel group",
         item.range});
  }
  return findings;
}

}  // namespace

std::string_view to_string(CableState state) {
  switch (state) {
    case CableState::ok:
      return "ok";
    case CableState::mis_wired:
      return "mis-wired";
    case CableState::missing:
      return "missing";
    case CableState::one_sided:
      return "one-sided";
    case CableState::loopback:
      return "loopback";
    case CableState::degraded:
      return "degraded";
    case CableState::no_data:
      return "no-data";
  }
  return "no-data";
}

std::string_view to_string(Passage passage) {
  switch (passage) {
    case Passage::untested:
      return "untested";
    case Passage::lost:
      return "lost";
    case Passage::passed:
      return "passed";
  }
  return "untested";
}

bool Report::ok() const {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.severity == Severity::error;
  });
}

Report judge(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const Tested& tested,
    const Diagnostics& of_resources) {
  const Evidence evidence{spec, snapshot};
  const Topology topology{spec};
  Report report;
  const WireCables wire{spec, tested.wire};
  report.cables = judge_cables(spec, evidence, wire);
  report.unexpected = wire.unexpected();
  report.paths = tested.paths;
  report.counters = tested.counters;
  report.flows = tested.flows;
  report.failovers = tested.failovers;
  report.managers = judge_managers(spec, snapshot, tested.subnet_ports);
  report.subnet_ports = tested.subnet_ports;
  const LossInputs inputs{
      spec, evidence, topology, report.cables, report.paths, report.subnet_ports};
  report.findings = unreached_nodes(spec, evidence);
  add(report.findings, cable_findings(report.cables));
  add(report.findings, unexpected_findings(report.unexpected));
  add(report.findings, renamed_interfaces(spec, evidence));
  add(report.findings, ailing_bonds(of_resources));
  add(report.findings, missing_roce_lags(spec, evidence));
  add(report.findings, manager_findings(spec, report.managers));
  add(report.findings, tested.stray_managers);
  add(report.findings, subnet_port_findings(spec, report.subnet_ports));
  add(report.findings, lost_paths(inputs));
  add(report.findings, lost_joined_paths(inputs));
  add(report.findings, lost_full_size(inputs));
  add(report.findings, untested_paths(inputs));
  add(report.findings, flow_findings(spec, report.flows, tested.bandwidth_judged));
  add(report.findings, failover_findings(spec, report.failovers));
  add(report.findings, counter_findings(spec, report.counters));
  return report;
}

Report judge_wire(const FabricSpec& spec, const WireEvidence& evidence) {
  const WireCables wire{spec, evidence};
  Report report;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (const CableSpec& cable : network.cables)
      report.cables.push_back(wire.judge(cable, network));
  }
  report.unexpected = wire.unexpected();
  report.findings = cable_findings(report.cables);
  add(report.findings, unexpected_findings(report.unexpected));
  return report;
}

}  // namespace fabric::verify
