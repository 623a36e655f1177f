// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/failover/failover.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/discovery/evidence.hpp"
#include "engine/verify/paths/endpoints.hpp"

namespace fabric::verify {

namespace {

// A bond of one node, and the obstacle to its test.
struct Candidate {
  std::vector<PortRef> ports;
  std::vector<std::string> interfaces;  // interfaces of the ports
  std::vector<std::string> targets;
  std::string obstacle;  // "" = none
  bool reached = true;
};

// The addresses of other nodes that were reached: from others no reply can come.
std::vector<std::string> targets_of(
    const NetworkSpec& network,
    const std::map<NodeName, std::vector<PortRef>>& nodes,
    const NodeName& node,
    const discovery::Evidence& evidence) {
  std::vector<std::string> targets;
  for (const auto& [other, ports] : nodes) {
    const IpAddress* address = address_of(families_of(network), ports);
    if (other != node && address != nullptr && evidence.node(other).reached)
      targets.push_back(address->str());
  }
  return targets;
}

void find_interfaces(Candidate& candidate, const discovery::Evidence& evidence) {
  for (const PortRef& port : candidate.ports) {
    const discovery::PortEvidence found = evidence.port(port);
    if (!found.device) {
      candidate.obstacle = found.why_unknown;
      return;
    }
    candidate.interfaces.push_back(found.device->name);
  }
}

Candidate candidate_of(
    const FabricSpec& spec,
    const NetworkSpec& network,
    const std::map<NodeName, std::vector<PortRef>>& nodes,
    const NodeName& node,
    const discovery::Evidence& evidence) {
  Candidate candidate{nodes.at(node), {}, {}, {}, evidence.node(node).reached};
  if (!candidate.reached) {
    candidate.obstacle = fmt::format("{} was not reached", node.str());
  } else if (candidate.ports.size() < 2) {
    candidate.obstacle = "it has no other port that could take over";
  } else if (is_missing_bond(network, node, evidence)) {
    candidate.obstacle = fmt::format("{} has no {}", node.str(), lag_of(network)->bond.value);
  } else {
    candidate.targets = targets_of(network, nodes, node, evidence);
    const bool is_alone = std::all_of(nodes.begin(), nodes.end(), [&](const auto& each) {
      return each.first == node || is_offline(spec, each.first);
    });
    // All other nodes are known to be offline.
    candidate.reached = !is_alone || nodes.size() < 2;
    if (candidate.targets.empty())
      candidate.obstacle =
          fmt::format("no other node of network {} has an address and was reached", network.name);
    else
      find_interfaces(candidate, evidence);
  }
  return candidate;
}

// Visits every bond of the document on a host that fabric configures.
template <class Visit>
void for_each_bond(const FabricSpec& spec, const discovery::Snapshot& snapshot, Visit visit) {
  const discovery::Evidence evidence{spec, snapshot};
  for (const auto& [name, network] : spec.networks) {
    if (lag_of(network) == nullptr) continue;
    const std::map<NodeName, std::vector<PortRef>> nodes = host_ports_by_node(spec, network);
    for (const auto& [node, ports] : nodes)
      visit(network, candidate_of(spec, network, nodes, node, evidence));
  }
}

Failover failover_of(const NetworkSpec& network, const Candidate& candidate, std::size_t closed) {
  Failover failover{
      network.name,
      lag_of(network)->bond.value,
      lag_of(network)->policy.value,
      candidate.ports[closed],
      {},
      candidate.interfaces,
      candidate.targets};
  if (closed >= candidate.interfaces.size()) return failover;
  failover.interface = candidate.interfaces[closed];
  failover.others.erase(failover.others.begin() + static_cast<std::ptrdiff_t>(closed));
  return failover;
}

bool spreads(const std::string& policy) {
  return policy == "balance-xor" || policy == "802.3ad" || policy == "balance-rr";
}

SourceRange range_of(const FabricSpec& spec, const Failover& failover) {
  const auto network = spec.networks.find(failover.network);
  if (network == spec.networks.end()) return {};
  const LagSpec* lag = lag_of(network->second);
  return lag != nullptr ? lag->range : network->second.range;
}

}  // namespace

std::string_view to_string(FailoverState state) {
  switch (state) {
    case FailoverState::untested:
      return "untested";
    case FailoverState::failed:
      return "failed";
    case FailoverState::passed:
      return "passed";
  }
  return "untested";
}

std::vector<Failover> failovers_to_test(
    const FabricSpec& spec, const discovery::Snapshot& snapshot) {
  std::vector<Failover> failovers;
  for_each_bond(spec, snapshot, [&](const NetworkSpec& network, const Candidate& candidate) {
    if (!candidate.obstacle.empty()) return;
    for (std::size_t i = 0; i < candidate.ports.size(); ++i)
      failovers.push_back(failover_of(network, candidate, i));
  });
  return failovers;
}

std::vector<FailoverReport> untried_failovers(
    const FabricSpec& spec, const discovery::Snapshot& snapshot) {
  std::vector<FailoverReport> reports;
  for_each_bond(spec, snapshot, [&](const NetworkSpec& network, const Candidate& candidate) {
    if (candidate.obstacle.empty()) return;
    FailoverReport report{
        failover_of(network, candidate, 0),
        FailoverState::untested,
        0,
        0,
        0,
        {},
        candidate.obstacle};
    report.reached = candidate.reached;
    reports.push_back(std::move(report));
  });
  return reports;
}

namespace {

void add_kept_links(
    const FabricSpec& spec, const std::vector<FailoverReport>& reports, Findings& findings) {
  const FailoverReport* first = nullptr;
  std::size_t kept = 0;
  for (const FailoverReport& report : reports) {
    if (!report.keeps_link || report.state == FailoverState::untested) continue;
    if (kept++ == 0) first = &report;
  }
  if (first == nullptr) return;
  findings.add(
      {Severity::info,
       "failover-not-pulled",
       range_of(spec, first->failover),
       fmt::format(
           "{} {} closed by the kernel alone{} {}: the card keeps its link, so the other end may "
           "not have noticed",
           kept,
           kept == 1 ? "port was" : "ports were",
           kept == 1 ? "," : ", for example",
           first->failover.port.str()),
       "set KEEP_ETH_LINK_UP to false on these cards, close the port of the switch, or pull the "
       "cable",
       {}});
}

}  // namespace

namespace {

// True for the fail-over of a ring or a manager, and where there is nothing to test.
bool is_of_no_bond(const Failover& failover) {
  return failover.bond.empty() || failover.policy == "chain";
}

Diagnostic failed_finding(const FabricSpec& spec, const FailoverReport& report) {
  const Failover& failover = report.failover;
  // There is nothing to try, or it could not be tried.
  const bool untested = report.state == FailoverState::untested;
  Diagnostic finding{
      failover.bond.empty() ? Severity::info : Severity::error,
      untested ? "failover-untested" : "failover-failed",
      range_of(spec, failover),
      report.detail,
      {},
      {},
      failover.bond.empty() ? Subject{} : failover.port.subject()};
  if (is_of_no_bond(failover)) {
    if (!failover.bond.empty())
      finding.message = fmt::format("{}: {}", failover.bond, report.detail);
    return finding;
  }
  finding.message = fmt::format("{} of {}: {}", failover.bond, failover.place(), report.detail);
  if (failover.policy == "manager")
    finding.help =
        "look at `sminfo` and at OpenSM's log on both nodes; a standby asks its master every "
        "`sminfo_polling_timeout` ms";
  else if (!untested)
    finding.help = "compare `miimon` of both ends, and look at the switch's port channel";
  return finding;
}

}  // namespace

void add_failover_findings(
    const FabricSpec& spec, const std::vector<FailoverReport>& reports, Findings& findings) {
  add_kept_links(spec, reports, findings);
  for (const FailoverReport& report : reports) {
    const Failover& failover = report.failover;
    const auto untestable = finding_of(findings.untestable, failover.port.node);
    if (untestable && !failover.bond.empty()) {
      findings.count(*untestable, Effect::failover_untried);
      continue;
    }
    if (!report.reached) {
      if (const auto cause = finding_of(findings.unreached, failover.port.node))
        findings.count(*cause, Effect::failover_untried);
      continue;
    }
    const auto cause =
        finding_of(findings.unaggregated, std::pair{failover.port.node, failover.network});
    if (report.state != FailoverState::passed) {
      findings.add(failed_finding(spec, report), is_of_no_bond(failover) ? std::nullopt : cause);
    }
    if (report.state == FailoverState::untested || !spreads(failover.policy) ||
        report.silent.empty())
      continue;
    findings.add(
        {Severity::warning,
         "failover-one-sided",
         range_of(spec, failover),
         fmt::format(
             "{} of {} spreads flows by {}, but {} sent none of many flows while all ports were "
             "open",
             failover.bond,
             failover.port.node.str(),
             failover.policy,
             report.silent.front()),
         "choose hash_policy layer3+4: the default uses MAC addresses, and two hosts have only one "
         "pair of them",
         {},
         failover.port.node},
        cause);
  }
}

}  // namespace fabric::verify
