#include "engine/verify/failover.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/verify/evidence.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::verify {

namespace {

// The first address that one of the ports has.
const IpAddress* address_of(const NetworkSpec& network, const std::vector<PortRef>& ports) {
  for (const IpSpec* family : {&network.ipv4, &network.ipv6}) {
    for (const PortRef& port : ports) {
      const auto found = family->addresses.find(port);
      if (found != family->addresses.end() && !found->second.empty())
        return &found->second.front().value;
    }
  }
  return nullptr;
}

bool is_host(const FabricSpec& spec, const PortRef& port) {
  const NodeSpec* node = spec.find_node(port.node.str());
  return node != nullptr && !port.adapter.empty() && node->platform.value == Platform::linux &&
         node->state.value != NodeState::absent;
}

std::map<NodeName, std::vector<PortRef>> ports_by_node(
    const FabricSpec& spec, const NetworkSpec& network) {
  std::map<NodeName, std::vector<PortRef>> nodes;
  for (const PortRef& port : network.member_ports()) {
    if (is_host(spec, port)) nodes[port.node].push_back(port);
  }
  return nodes;
}

void add_node(
    const NetworkSpec& network,
    const std::vector<PortRef>& ports,
    const std::vector<std::string>& targets,
    const Evidence& evidence,
    std::vector<Failover>& failovers) {
  std::vector<std::string> interfaces;
  for (const PortRef& port : ports) {
    const PortEvidence found = evidence.port(port);
    if (!found.device) return;
    interfaces.push_back(found.device->name);
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    Failover failover{
        network.name,
        network.lag->bond.value,
        network.lag->policy.value,
        ports[i],
        interfaces[i],
        interfaces,
        targets};
    failover.others.erase(failover.others.begin() + static_cast<std::ptrdiff_t>(i));
    failovers.push_back(std::move(failover));
  }
}

bool spreads(const std::string& policy) {
  return policy == "balance-xor" || policy == "802.3ad" || policy == "balance-rr";
}

SourceRange range_of(const FabricSpec& spec, const Failover& failover) {
  const auto network = spec.networks.find(failover.network);
  if (network == spec.networks.end()) return {};
  return network->second.lag ? network->second.lag->range : network->second.range;
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
  const Evidence evidence{spec, snapshot};
  std::vector<Failover> failovers;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::lag || !network.lag) continue;
    const std::map<NodeName, std::vector<PortRef>> nodes = ports_by_node(spec, network);
    for (const auto& [node, ports] : nodes) {
      if (ports.size() < 2 || !evidence.node(node).reached) continue;
      std::vector<std::string> targets;
      for (const auto& [other, others_ports] : nodes) {
        const IpAddress* address = address_of(network, others_ports);
        if (other != node && address != nullptr && evidence.node(other).reached)
          targets.push_back(address->str());
      }
      if (!targets.empty()) add_node(network, ports, targets, evidence, failovers);
    }
  }
  return failovers;
}

std::vector<Finding> failover_findings(
    const FabricSpec& spec, const std::vector<FailoverReport>& reports) {
  std::vector<Finding> findings;
  for (const FailoverReport& report : reports) {
    const Failover& failover = report.failover;
    if (report.state != FailoverState::passed) {
      findings.push_back(
          {"failover-failed",
           Severity::error,
           fmt::format(
               "{} of {}: {}",
               failover.bond,
               failover.port.str(),
               report.state == FailoverState::untested ? "not tried: " + report.detail
                                                       : report.detail),
           report.state == FailoverState::untested
               ? ""
               : "look at `miimon` of both ends and at the switch's port channel",
           range_of(spec, failover)});
    }
    if (report.state == FailoverState::untested || !spreads(failover.policy) ||
        report.silent.empty())
      continue;
    findings.push_back(
        {"failover-one-sided",
         Severity::warning,
         fmt::format(
             "{} of {} spreads flows by {}, and yet {} sent none of many while all ports were open",
             failover.bond,
             failover.port.node.str(),
             failover.policy,
             report.silent.front()),
         "choose hash_policy layer3+4: the default goes by MAC addresses, of which two hosts have "
         "one pair",
         range_of(spec, failover)});
  }
  return findings;
}

}  // namespace fabric::verify
