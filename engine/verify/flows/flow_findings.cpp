#include "engine/verify/flows/flow_findings.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

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

Finding missing(const FabricSpec& spec, const NodeName& node, FlowTool tool) {
  Finding finding{"tool-missing", Severity::error, {}, {}, {}};
  finding.message = fmt::format(
      "{} is not on {}, so what it would measure there is unknown", to_string(tool), node.str());
  finding.help = fmt::format("install the package {} on {}", package_of(tool), node.str());
  if (const NodeSpec* found = spec.find_node(node.str())) finding.range = found->range;
  return finding;
}

Finding failed(const FabricSpec& spec, const FlowReport& report) {
  const Flow& flow = report.flow;
  return {
      "flow-failed",
      Severity::error,
      fmt::format(
          "{} between {} and {} ({}) does not work: {}",
          flow.tool == FlowTool::iperf3 ? "TCP" : "RDMA",
          flow.client.port.str(),
          flow.server.port.str(),
          to_string(flow.tool),
          report.detail),
      {},
      range_of(spec, report)};
}

Finding slow(const FabricSpec& spec, const FlowReport& report) {
  const Flow& flow = report.flow;
  std::string through;
  for (const NodeName& node : flow.transit)
    through += (through.empty() ? " through " : ", ") + node.str();
  return {
      "bandwidth-low",
      Severity::warning,
      fmt::format(
          "{} from {} to {}{} carries {:.1f} Gb/s, expected {:.1f} at least: {} allows {:.1f}",
          to_string(flow.tool),
          flow.client.port.str(),
          flow.server.port.str(),
          through,
          report.gbps,
          least_gbps(flow),
          flow.limited_by,
          flow.limit_gbps),
      flow.tool == FlowTool::iperf3
          ? "look at the processors' load and the tuning profiles; RDMA shows what the link can do"
          : "look for `link-errors`, the PCIe slot (lspci -vv, LnkSta) and flow control",
      range_of(spec, report)};
}

}  // namespace

std::vector<Finding> flow_findings(
    const FabricSpec& spec, const std::vector<FlowReport>& flows, bool judged) {
  std::vector<Finding> findings;
  std::set<std::pair<NodeName, FlowTool>> told;
  for (const FlowReport& report : flows) {
    const Flow& flow = report.flow;
    if (flow.tool_missing_on) {
      if (told.emplace(*flow.tool_missing_on, flow.tool).second)
        findings.push_back(missing(spec, *flow.tool_missing_on, flow.tool));
    } else if (report.state != FlowState::measured) {
      findings.push_back(failed(spec, report));
    } else if (judged && flow.limit_gbps > 0 && report.gbps < least_gbps(flow)) {
      findings.push_back(slow(spec, report));
    }
  }
  return findings;
}

}  // namespace fabric::verify
