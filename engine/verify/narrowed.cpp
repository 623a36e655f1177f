// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/verify/verify.hpp"

namespace fabric::verify {

namespace {

using Names = std::set<std::string>;

bool is_about(const Report& report, std::size_t finding, const Names& names) {
  const std::string& subject = report.findings[finding].subject.name;
  const auto others = report.nodes_of.find(finding);
  if (names.contains(subject) || (subject.empty() && others == report.nodes_of.end())) return true;
  return others != report.nodes_of.end() &&
         std::ranges::any_of(
             others->second, [&](const std::string& node) { return names.contains(node); });
}

void narrow_findings(Report& report, const Names& names) {
  std::vector<Diagnostic> kept;
  std::map<std::size_t, std::size_t> place;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    if (!is_about(report, i, names)) continue;
    place.emplace(i, kept.size());
    kept.push_back(std::move(report.findings[i]));
  }
  std::map<std::size_t, std::size_t> causes;
  for (const auto& [finding, cause] : report.cause_of) {
    if (place.contains(finding) && place.contains(cause))
      causes.emplace(place.at(finding), place.at(cause));
  }
  report.findings = std::move(kept);
  report.cause_of = std::move(causes);
  std::map<std::size_t, Names> nodes_of;
  for (auto& [finding, others] : report.nodes_of) {
    if (place.contains(finding)) nodes_of.emplace(place.at(finding), std::move(others));
  }
  report.nodes_of = std::move(nodes_of);
}

}  // namespace

Report narrowed(Report report, const std::set<NodeName>& nodes) {
  Names names;
  for (const NodeName& node : nodes)
    names.insert(node.str());
  const auto is_in = [&nodes](const PortRef& port) {
    return nodes.contains(port.node);
  };
  std::erase_if(
      report.cables, [&](const CableReport& each) { return !is_in(each.a) && !is_in(each.b); });
  std::erase_if(report.paths, [&](const PathReport& each) {
    return !is_in(each.path.from) && !is_in(each.path.to);
  });
  std::erase_if(report.counters, [&](const auto& each) { return !is_in(each.port); });
  std::erase_if(report.failovers, [&](const auto& each) { return !is_in(each.failover.port); });
  std::erase_if(report.managers, [&](const auto& each) { return !is_in(each.port); });
  std::erase_if(report.subnet_ports, [&](const auto& each) { return !is_in(each.port); });
  std::erase_if(report.links, [&](const auto& each) { return !is_in(each.port); });
  std::erase_if(report.roce_addresses, [&](const auto& each) { return !is_in(each.port); });
  std::erase_if(report.qos, [&](const auto& each) { return !nodes.contains(each.node); });
  std::erase_if(report.unexpected, [&](const UnexpectedCable& each) {
    return !names.contains(Subject::parse(each.a).name) &&
           !names.contains(Subject::parse(each.b).name);
  });
  narrow_findings(report, names);
  return report;
}

}  // namespace fabric::verify
