// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/narrowed.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace fabric::verify {

namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

// As a word of its own: "pve1" is not in "pve12".
bool names(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_of_name(text[at - 1]);
    if (begins && (end == text.size() || !is_of_name(text[end]))) return true;
  }
  return false;
}

bool is_about(const Diagnostic& finding, const std::set<NodeName>& nodes) {
  if (finding.subject.name.empty()) return true;
  return std::any_of(nodes.begin(), nodes.end(), [&](const NodeName& node) {
    return finding.subject.name == node.str() || names(finding.message, node.str());
  });
}

void narrow_findings(Report& report, const std::set<NodeName>& nodes) {
  std::vector<Diagnostic> kept;
  std::map<std::size_t, std::size_t> place;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    if (!is_about(report.findings[i], nodes)) continue;
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
}

}  // namespace

Report narrowed(Report report, const std::set<NodeName>& nodes) {
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
    return std::none_of(nodes.begin(), nodes.end(), [&](const NodeName& node) {
      return names(each.a, node.str()) || names(each.b, node.str());
    });
  });
  narrow_findings(report, nodes);
  return report;
}

}  // namespace fabric::verify
