// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/failover/failover.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "engine/discovery/evidence.hpp"
#include "engine/discovery/reach_fabric.hpp"
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

namespace {

// Four polls of OpenSM's, ten seconds each, and a sweep.
constexpr Duration kTakes{90'000};
constexpr Duration kAgain{60'000};

using Managers = std::vector<const ManagerReport*>;

std::int64_t priority_of(const NetworkSpec& network, const ManagerReport& manager) {
  for (const SubnetManagerPlacement& each : network.subnet_managers)
    if (each.node.value == manager.port.node.str()) return each.priority.value;
  return 0;
}

const ManagerReport* first_in(const Managers& managers, std::string_view state) {
  const auto found = std::find_if(
      managers.begin(), managers.end(), [&](const auto* each) { return each->state == state; });
  return found == managers.end() ? nullptr : *found;
}

ManagerFailover of_subnet(const NetworkSpec& network, const Managers& managers) {
  const ManagerReport* master = first_in(managers, "master");
  const ManagerReport& subject = master == nullptr ? *managers.front() : *master;
  ManagerFailover tried{
      {network.name, "the subnet manager", "manager", subject.port, {}, {}, {}},
      {fmt::format("{}.{}.{}", network.name, subject.port.adapter, subject.port.port), kTakes, {}},
      {}};
  const ManagerReport* standby = first_in(managers, "standby");
  if (master == nullptr) {
    tried.obstacle = fmt::format("no manager of network {} is known to be master", network.name);
  } else if (standby == nullptr) {
    tried.obstacle = fmt::format("no other manager of network {} is standby", network.name);
  } else if (priority_of(network, *master) > priority_of(network, *standby)) {
    tried.stopping.again = kAgain;
  }
  return tried;
}

}  // namespace

std::vector<ManagerFailover> manager_failovers(
    const FabricSpec& spec, const std::vector<ManagerReport>& managers) {
  std::vector<ManagerFailover> failovers;
  for (const auto& [name, network] : spec.networks) {
    if (network.subnet_managers.size() < 2) continue;
    std::map<std::string, Managers> subnets;  // by GUID of their master
    for (const ManagerReport& each : managers)
      if (each.network == name && each.state != "external") subnets[each.master].push_back(&each);
    // A manager that hears no master may be of any subnet.
    const auto mute = subnets.find("");
    if (mute != subnets.end() && subnets.size() > 1) {
      Managers& others = std::next(mute)->second;
      others.insert(others.end(), mute->second.begin(), mute->second.end());
      subnets.erase(mute);
    }
    for (const auto& [master, subnet] : subnets)
      failovers.push_back(of_subnet(network, subnet));
    for (const SubnetManagerPlacement& each : network.subnet_managers) {
      const NodeSpec* node = spec.find_node(each.node.value);
      if (node == nullptr || !node->adapters->empty()) continue;
      ManagerFailover untried{
          {name, "the subnet manager", "manager", {node->name, "", ""}, {}, {}, {}}, {}, {}};
      untried.obstacle = "managers of switches are not stopped";
      failovers.push_back(std::move(untried));
      break;
    }
  }
  return failovers;
}

FailoverReport judge_manager_failover(
    const ManagerFailover& tried, const platform::ManagerStoppingAnswer& answer) {
  FailoverReport report{tried.failover, FailoverState::untested, 0, 0, 0, {}, tried.obstacle};
  if (!report.detail.empty()) return report;
  if (!answer.untested.empty() || !answer.complete) {
    report.detail = answer.complete || !answer.untested.empty()
                        ? answer.untested
                        : "the answer of the node was cut short";
    return report;
  }
  report.state = FailoverState::failed;
  if (answer.stays_down) {
    report.detail = "its service did not start again";
  } else if (!answer.taken) {
    report.detail = fmt::format(
        "no other manager became master within {} s", tried.stopping.takes.count() / 1000);
  } else if (tried.stopping.again.count() > 0 && !answer.again) {
    report.detail = fmt::format(
        "{} has the lower priority and stays master: {} was not master again within {} s",
        answer.by,
        tried.failover.place(),
        tried.stopping.again.count() / 1000);
  } else {
    report.state = FailoverState::passed;
    report.longest_gap = static_cast<double>(*answer.taken);
    report.detail = fmt::format("{} was master after {} s", answer.by, *answer.taken);
  }
  return report;
}

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
