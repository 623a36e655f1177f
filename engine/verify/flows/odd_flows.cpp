// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/flows/odd_flows.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace fabric::verify {

namespace {

constexpr std::size_t kFewestEquals = 5;
// Of a normal distribution the median deviation is this much smaller than the standard deviation.
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

// How many of a node's flows are odd, and of how many.
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

}  // namespace

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

}  // namespace fabric::verify
