// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/flows/flow_findings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/verify/flows/flow_ends.hpp"

namespace fabric::verify {

namespace {

// Flows that carry less than their equals do, with nothing declared and no limit known.

constexpr std::size_t kFewestEquals = 5;
// The standard deviation of a normal distribution by its median deviation.
constexpr double kScaled = 1.4826;
constexpr double kSpreads = 4;
constexpr double kNotWorthTelling = 0.1;

using Indices = std::vector<std::size_t>;
// The network, the tool, and how many cards forward.
using Kind = std::tuple<std::string, std::string, std::size_t>;

std::map<Kind, Indices> equals(const std::vector<FlowReport>& reports) {
  std::map<Kind, Indices> all;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Flow& flow = reports[i].flow;
    if (reports[i].state == FlowState::measured)
      all[{flow.network, flow.tool.program, flow.transit.size()}].push_back(i);
  }
  return all;
}

// REQUIRES: some values.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

struct Usual {
  double median = 0, least = 0;  // Gb/s; less than `least` is odd
};

Usual usual(const std::vector<FlowReport>& reports, const Indices& equal) {
  std::vector<double> values, deviations;
  for (const std::size_t i : equal)
    values.push_back(reports[i].gbps);
  const double middle = median(values);
  for (const double value : values)
    deviations.push_back(std::abs(value - middle));
  const double spread = kScaled * median(std::move(deviations));
  return {middle, middle - std::max(kSpreads * spread, kNotWorthTelling * middle)};
}

// The odd flows of a node, and the number of all its flows.
struct Share {
  Indices odd{};
  std::size_t all = 0;
  double best_odd = 0;  // Gb/s
};

class OfOneKind {
 public:
  OfOneKind(const FabricSpec& spec, const std::vector<FlowReport>& reports, const Indices& equal)
      : spec_{spec}, reports_{reports}, usual_{usual(reports, equal)} {
    for (const std::size_t i : equal) {
      const bool is_odd = reports[i].gbps < usual_.least;
      if (is_odd) odd_.push_back(i);
      for (const auto* end : {&reports[i].flow.client, &reports[i].flow.server}) {
        Share& share = shares_[end->port.node];
        ++share.all;
        if (!is_odd) continue;
        share.odd.push_back(i);
        share.best_odd = std::max(share.best_odd, reports[i].gbps);
      }
    }
  }

  // `nodes`: what was found of a node by another tool, which is the cause of this.
  void add(
      Findings& findings,
      std::map<std::size_t, Findings::Number>& found,
      std::map<NodeName, Findings::Number>& nodes) const {
    for (const auto& [node, share] : shares_) {
      if (share.odd.size() < 2 || share.odd.size() * 2 <= share.all) continue;
      const Findings::Number number = findings.add(of_node(node, share), finding_of(nodes, node));
      nodes.emplace(node, number);
      for (const std::size_t i : share.odd)
        found.emplace(i, number);
    }
    for (const std::size_t i : odd_) {
      if (!found.contains(i)) found.emplace(i, findings.add(of_flow(i)));
    }
  }

 private:
  Diagnostic of_node(const NodeName& node, const Share& share) const {
    const Flow& flow = reports_[share.odd.front()].flow;
    return {
        Severity::warning,
        "bandwidth-odd",
        place_of_node(spec_, node),
        fmt::format(
            "{} carries {:.1f} Gb/s at most in {} of its {} flows by {} in the network {}, while "
            "the median of all is {:.1f}",
            node.str(),
            share.best_odd,
            share.odd.size(),
            share.all,
            flow.tool.program,
            flow.network,
            usual_.median),
        fmt::format(
            "look at the link, slot and tuning of {}: `fabric verify --level odd` compares it with "
            "its equals",
            node.str()),
        {}};
  }

  Diagnostic of_flow(std::size_t index) const {
    const FlowReport& report = reports_[index];
    return {
        Severity::warning,
        "bandwidth-odd",
        place_of_network(spec_, report.flow.network),
        fmt::format(
            "{} from {} to {} carries {:.1f} Gb/s, while the median of its equals is {:.1f}",
            report.flow.tool.program,
            report.flow.client.port.str(),
            report.flow.server.port.str(),
            report.gbps,
            usual_.median),
        "both ends carry more with other nodes: look at the switches and cables between them",
        {}};
  }

  const FabricSpec& spec_;
  const std::vector<FlowReport>& reports_;
  Usual usual_;
  Indices odd_;
  std::map<NodeName, Share> shares_;
};

// Rule `bandwidth-odd`. Equal are measured flows of one network and tool that as many cards
// forward. Of five or more, those are odd that carry less than the median by more than a tenth and
// by more than four times the spread (the median deviation, scaled to that of a normal
// distribution). One finding for a node that has two odd flows and more odd ones than others, else
// one for the flow. The finding of each odd flow, by its index in `reports`.
std::map<std::size_t, Findings::Number> add_odd_flows(
    const FabricSpec& spec, const std::vector<FlowReport>& reports, Findings& findings) {
  std::map<std::size_t, Findings::Number> found;
  std::map<std::string, std::map<NodeName, Findings::Number>> nodes;  // by network
  for (const auto& [kind, equal] : equals(reports)) {
    if (equal.size() >= kFewestEquals)
      OfOneKind{spec, reports, equal}.add(findings, found, nodes[std::get<0>(kind)]);
  }
  return found;
}

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

FlowReport report_of(
    const Flow& flow, const platform::FlowAnswer& client, const std::string& server) {
  FlowReport report{flow, FlowState::failed, client.gbps, client.complaint};
  using State = platform::FlowAnswer::State;
  if (client.state == State::cut_short) {
    report.state = FlowState::untested;
    report.detail = fmt::format("the answer of {} was cut short", flow.client.port.node.str());
    return report;
  }
  if (client.state == State::measured) {
    report.state = FlowState::measured;
    return report;
  }
  if (client.timed_out && report.detail.empty()) report.detail = "no end within its time";
  // The client only knows that it gets no answer; the reason stands at the server.
  if (client.nobody_listened && !server.empty())
    report.detail = fmt::format("{} (on {})", server, flow.server.port.node.str());
  if (report.detail.empty()) report.detail = fmt::format("exit status {}", client.exit_status);
  return report;
}

namespace {

RoceAddressReport report_of(
    const PortRef& port, const Sourced<IpAddress>& address, const PortReadings& readings) {
  RoceAddressReport report{port, address.value.str(), {}, std::nullopt, address.range};
  for (const RdmaPort& rdma : readings.rdma) {
    for (const Gid& gid : rdma.gids) {
      if (report.index || !is_gid_of(gid.address, report.address)) continue;
      report.rdma = rdma.str();
      if (gid.type == "RoCE v2") report.index = gid.index;
    }
  }
  return report;
}

bool wants_roce(const NetworkSpec& network) {
  if (network.mode.value == Mode::infiniband) return false;
  return !network.lag || !network.lag->roce || network.lag->roce->value;
}

}  // namespace

std::vector<RoceAddressReport> roce_addresses(
    const FabricSpec& spec, const ReadingsByNode& readings) {
  std::vector<RoceAddressReport> reports;
  for (const auto& [name, network] : spec.networks) {
    if (!wants_roce(network)) continue;
    for (const IpSpec* ip : {&network.ipv4, &network.ipv6}) {
      for (const auto& [port, addresses] : ip->addresses) {
        const auto of_node = readings.find(port.node);
        if (of_node == readings.end() || of_node->second.rdma.empty()) continue;
        for (const Sourced<IpAddress>& address : addresses)
          reports.push_back(report_of(port, address, of_node->second));
      }
    }
  }
  return reports;
}

void add_roce_findings(const std::vector<RoceAddressReport>& addresses, Findings& findings) {
  for (const RoceAddressReport& report : addresses) {
    if (report.index) continue;
    const Findings::Number number = findings.add(
        {Severity::error,
         "roce-gid-missing",
         report.range,
         report.rdma.empty()
             ? fmt::format(
                   "no RDMA device of {} has a GID of {}, so RDMA can't use the address",
                   report.port.node.str(),
                   report.address)
             : fmt::format(
                   "{} of {} has {} as RoCE v1 only, which no router and few peers take",
                   report.rdma,
                   report.port.node.str(),
                   report.address),
         "run `fabric plan` to see whether the address is on the interface of the card; then look "
         "at `rdma link`",
         {},
         report.port.subject()});
    findings.without_gid.emplace(report.port, number);
  }
}

}  // namespace fabric::verify
