#include <algorithm>

#include <fmt/format.h>

#include "engine/model/spec_names.hpp"
#include "engine/verify/cables/cables.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/evidence/evidence.hpp"
#include "engine/verify/evidence/renamed_interfaces.hpp"
#include "engine/verify/flows/flow_findings.hpp"
#include "engine/verify/paths/bonds.hpp"
#include "engine/verify/paths/lost_paths.hpp"
#include "engine/verify/paths/roce_lag.hpp"
#include "engine/verify/paths/topology.hpp"
#include "engine/verify/subnet/managers.hpp"
#include "engine/verify/subnet/subnet_ports.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::verify {

namespace {

bool is_asked(const NodeSpec& node) {
  return node.state.value != NodeState::absent && node.platform.value == Platform::linux;
}

void add(Findings& findings, std::vector<Diagnostic> more) {
  for (Diagnostic& finding : more)
    findings.add(std::move(finding));
}

void add_unreached_nodes(const FabricSpec& spec, const Evidence& evidence, Findings& findings) {
  for (const auto& [name, node] : spec.nodes) {
    const NodeEvidence& found = evidence.node(name);
    if (!is_asked(node) || found.reached) continue;
    findings.unreached.emplace(
        name,
        findings.add(
            {Severity::error,
             "not-reachable",
             node.range,
             fmt::format(
                 "{} was not reached, so nothing is known of its ports: {}",
                 name.str(),
                 found.why_not),
             fmt::format("bring {} back or correct its address, then verify again", name.str()),
             {}}));
  }
}

void take(const FabricSpec& spec, Findings findings, Report& report) {
  Findings::Linked linked = std::move(findings).link();
  Diagnostics named;
  for (Diagnostic& finding : linked.findings)
    named.add(std::move(finding));
  named.find_names(names_in(spec));
  report.findings = named.items();
  report.cause_of = std::move(linked.cause_of);
}

}  // namespace

bool Report::ok() const {
  return std::none_of(findings.begin(), findings.end(), [](const Diagnostic& finding) {
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
  report.managers = judge_managers(spec, evidence, tested.subnet_ports);
  report.subnet_ports = tested.subnet_ports;
  const LossInputs inputs{
      spec, evidence, topology, report.cables, report.paths, report.subnet_ports};
  // From causes to consequences: each looks for what explains it among those before it.
  Findings findings;
  add_unreached_nodes(spec, evidence, findings);
  if (tested.pinged) {
    for (const auto& [node, number] : untried_paths(spec, evidence)) {
      if (const auto cause = finding_of(findings.unreached, node))
        findings.count(*cause, Effect::path_untried, number);
    }
  }
  add_cable_findings(report.cables, findings);
  add_unexpected_findings(spec, report.unexpected, findings);
  add(findings, renamed_interfaces(spec, evidence));
  add_bond_findings(spec, report.cables, of_resources, findings);
  add(findings, missing_roce_lags(spec, evidence));
  add_manager_findings(spec, report.managers, findings);
  add(findings, tested.stray_managers);
  add_subnet_port_findings(spec, report.subnet_ports, findings);
  add_lost_chain_paths(inputs, findings);
  add_lost_switched_paths(inputs, findings);
  add_lost_full_size(inputs, findings);
  add_untested_paths(inputs, findings);
  add_flow_findings(spec, report.flows, tested.bandwidth_judged, findings);
  add_failover_findings(spec, report.failovers, findings);
  add_counter_findings(spec, report.counters, findings);
  take(spec, std::move(findings), report);
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
  Findings findings;
  add_cable_findings(report.cables, findings);
  add_unexpected_findings(spec, report.unexpected, findings);
  take(spec, std::move(findings), report);
  return report;
}

}  // namespace fabric::verify
