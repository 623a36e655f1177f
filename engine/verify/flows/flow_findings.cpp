// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/flows/flow_findings.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/verify/flows/odd_flows.hpp"

namespace fabric::verify {

namespace {

SourceRange range_of(const FabricSpec& spec, const FlowReport& report) {
  const auto network = spec.networks.find(report.flow.network);
  if (network == spec.networks.end()) return {};
  for (const CableSpec& cable : network->second.cables) {
    const std::set<PortRef> ends{cable.a.value, cable.b.value};
    if (ends == std::set{report.flow.client.port, report.flow.server.port}) return cable.range;
  }
  return network->second.range;
}

Diagnostic missing(
    const FabricSpec& spec, const NodeName& node, const platform::MeasuringTool& tool) {
  return {
      Severity::error,
      "tool-missing",
      place_of_node(spec, node),
      fmt::format("{} is not on {}, so its measurement there is missing", tool.program, node.str()),
      fmt::format("install the package {} on {}", tool.package, node.str()),
      {},
      node};
}

Diagnostic failed(const FabricSpec& spec, const FlowReport& report) {
  const Flow& flow = report.flow;
  return {
      Severity::error,
      "flow-failed",
      range_of(spec, report),
      fmt::format(
          "{} between {} and {} ({}) does not work: {}",
          flow.traffic == Traffic::tcp ? "TCP" : "RDMA",
          flow.client.port.str(),
          flow.server.port.str(),
          flow.tool.program,
          report.detail),
      {},
      {},
      flow.client.port.subject()};
}

std::optional<Findings::Number> why_failed(const Flow& flow, const Findings& findings) {
  for (const std::size_t cable : flow.cables) {
    if (const auto cause = finding_of(findings.broken_cables, cable)) return cause;
  }
  for (const NodeName& node : flow.transit) {
    if (const auto cause = finding_of(findings.unreached, node)) return cause;
  }
  for (const FlowEnd* end : {&flow.client, &flow.server}) {
    const auto cause = finding_of(findings.unaggregated, std::pair{end->port.node, flow.network});
    if (cause) return cause;
    if (flow.traffic != Traffic::rdma) continue;
    if (const auto gid = finding_of(findings.without_gid, end->port)) return gid;
  }
  return std::nullopt;
}

Diagnostic slow(const FabricSpec& spec, const FlowReport& report) {
  const Flow& flow = report.flow;
  std::string through;
  for (const NodeName& node : flow.transit)
    through += (through.empty() ? " through " : ", ") + node.str();
  return {
      Severity::warning,
      "bandwidth-low",
      range_of(spec, report),
      fmt::format(
          "{} from {} to {}{} carries {:.1f} Gb/s, expected at least {:.1f}: {} allows {:.1f}",
          flow.tool.program,
          flow.client.port.str(),
          flow.server.port.str(),
          through,
          report.gbps,
          least_gbps(flow),
          flow.limited_by,
          flow.limit_gbps),
      flow.traffic == Traffic::tcp
          ? "look at the processors' load and the tuning profiles; RDMA shows how much the link "
            "can carry"
          : "look for `link-errors`, the PCIe slot (lspci -vv, LnkSta) and flow control",
      {},
      flow.client.port.subject()};
}

}  // namespace

void add_flow_findings(
    const FabricSpec& spec, const std::vector<FlowReport>& flows, bool judged, Findings& findings) {
  std::set<std::pair<NodeName, Traffic>> reported;
  const std::map<std::size_t, Findings::Number> odd =
      judged ? add_odd_flows(spec, flows, findings) : std::map<std::size_t, Findings::Number>{};
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const FlowReport& report = flows[i];
    const Flow& flow = report.flow;
    if (flow.untestable) {
      if (const auto cause = finding_of(findings.untestable, *flow.untestable))
        findings.count(*cause, Effect::flow_untried);
    } else if (flow.tool_missing_on) {
      if (reported.emplace(*flow.tool_missing_on, flow.traffic).second)
        findings.add(missing(spec, *flow.tool_missing_on, flow.tool));
    } else if (report.state != FlowState::measured) {
      findings.also_about(
          findings.add(failed(spec, report), why_failed(flow, findings), Effect::flow_failed),
          flow.server.port.node.str());
    } else if (judged && flow.limit_gbps > 0 && report.gbps < least_gbps(flow)) {
      findings.also_about(
          findings.add(slow(spec, report), finding_of(odd, i)), flow.server.port.node.str());
    }
  }
}

}  // namespace fabric::verify
