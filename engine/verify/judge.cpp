// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/evidence.hpp"
#include "engine/discovery/reach_fabric.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/topology/path_losses.hpp"
#include "engine/verify/cables/cables.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/flows/flow_findings.hpp"
#include "engine/verify/links/links.hpp"
#include "engine/verify/paths/bond_peers.hpp"
#include "engine/verify/paths/endpoints.hpp"
#include "engine/verify/paths/lost_paths.hpp"
#include "engine/verify/paths/topology.hpp"
#include "engine/verify/qos/qos.hpp"
#include "engine/verify/report/path_report.hpp"
#include "engine/verify/subnet/managers.hpp"
#include "engine/verify/subnet/subnet_ports.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::verify {
namespace {

class ExpectedLosses {
 public:
  // The arguments must outlive this object. Of the hosts' observed settings only the order of their
  // routes counts: no other difference from the document makes a loss expected.
  ExpectedLosses(
      const FabricSpec& spec,
      const discovery::Snapshot& snapshot,
      const discovery::Evidence& evidence,
      const Topology& topology);

  bool contains(const PathReport& report) const;

 private:
  struct Network {
    reach::NetworkNow now;
    std::unique_ptr<reach::Reachability> reachability;
  };

  const FabricSpec& spec_;
  const Topology& topology_;
  std::map<std::string, Network> networks_;  // networks with a node that is down
};

// True if every port with an address has its route in the main table.
bool is_whole(const reach::Host& host) {
  for (std::size_t port = 0; port < host.ports.size(); ++port) {
    const bool has_route = std::ranges::any_of(host.routes, [&](const reach::Route& route) {
      return route.table == 0 && route.port == port;
    });
    if (!host.ports[port].addresses.empty() && !has_route) return false;
  }
  return true;
}

// Null if the port has no address in the fabric.
const reach::Port* find_port(const reach::Fabric& fabric, const PortRef& port) {
  for (const reach::Host& host : fabric.hosts) {
    for (const reach::Port& each : host.ports) {
      if (each.name == port) return each.addresses.empty() ? nullptr : &each;
    }
  }
  return nullptr;
}

ExpectedLosses::ExpectedLosses(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const discovery::Evidence& evidence,
    const Topology& topology)
    : spec_{spec}, topology_{topology} {
  std::vector<reach::NetworkNow> declared = discovery::declared_paths(spec);
  const bool is_all_there =
      std::ranges::all_of(declared, [](const auto& now) { return now.away.nodes.empty(); });
  if (is_all_there) return;
  const std::vector<reach::NetworkNow> observed =
      discovery::observed_paths(spec, snapshot, evidence);
  for (std::size_t index = 0; index < declared.size(); ++index) {
    reach::NetworkNow& now = declared[index];
    if (now.away.nodes.empty()) continue;
    for (std::size_t host = 0; host < now.fabric.hosts.size(); ++host) {
      const reach::Host& as_it_is = observed[index].fabric.hosts[host];
      if (!is_whole(as_it_is)) continue;
      now.fabric.hosts[host].routes = as_it_is.routes;
      now.fabric.hosts[host].rules = as_it_is.rules;
    }
    Network& network = networks_[now.network];
    network.now = std::move(now);
    network.reachability =
        std::make_unique<reach::Reachability>(network.now.fabric, network.now.away);
  }
}

bool ExpectedLosses::contains(const PathReport& report) const {
  const auto found = networks_.find(report.path.network);
  if (found == networks_.end() || report.small != Passage::lost) return false;
  const reach::Fabric& fabric = found->second.now.fabric;
  const reach::Port* from = find_port(fabric, report.path.from);
  const Result<IpAddress> target = IpAddress::parse(report.path.to_address);
  if (from == nullptr || find_port(fabric, report.path.to) == nullptr || !target ||
      target->family() != Family::ipv4)
    return is_expected_loss(spec_, topology_, report);
  const reach::Verdict verdict = found->second.reachability->between(
      report.path.from,
      from->addresses.front().address,
      report.path.to,
      *target,
      reach::Bound::address);
  if (verdict.state == reach::State::unknown) return is_expected_loss(spec_, topology_, report);
  return verdict.state == reach::State::lost;
}

// Rule `interface-renamed`: of ports that have an interface at all.
std::vector<Diagnostic> renamed_interfaces(
    const FabricSpec& spec, const discovery::Evidence& evidence) {
  std::vector<Diagnostic> findings;
  for (const auto& [node_name, node] : spec.nodes) {
    for (const AdapterSpec& adapter : *node.adapters) {
      for (const auto& [number, name] : adapter.names) {
        const PortRef port{node_name, adapter.name, std::to_string(number)};
        const discovery::PortEvidence found = evidence.port(port);
        if (!found.device || found.device->name == name.value) continue;
        findings.push_back(
            {Severity::error,
             "interface-renamed",
             name.range,
             fmt::format(
                 "the interface of {} is called {}, not {}",
                 port.str(),
                 found.device->name,
                 name.value),
             "run `fabric plan`: the configuration of that name does not match the interface",
             {},
             port.subject()});
      }
    }
  }
  return findings;
}

// Rule `roce-lag-missing`: for bonds whose document, or policy and card, asks for RoCE LAG. No
// finding about a bond that does not exist, or whose RDMA devices are unknown.
std::vector<Diagnostic> missing_roce_lags(
    const FabricSpec& spec, const discovery::Evidence& evidence) {
  std::vector<Diagnostic> findings;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::lag || !network.lag) continue;
    const LagSpec& lag = *network.lag;
    for (const auto& [node, ports] : host_ports_by_node(spec, network)) {
      // Read only where it is asked for.
      const Reading* roce = evidence.running({node, "bond", lag.bond.value}, "roce");
      if (roce == nullptr || !roce->equals(Value{false})) continue;
      findings.push_back(
          {Severity::error,
           "roce-lag-missing",
           lag.roce ? lag.roce->range : lag.range,
           fmt::format(
               "{} of {}: each of its ports is an RDMA device of its own, not part of the bond's",
               lag.bond.value,
               node.str()),
           "take the ports out of the bond and in again, or reboot the node; write `roce: false` "
           "if a plain bond is wanted",
           {},
           node});
    }
  }
  return findings;
}

void add(Findings& findings, std::vector<Diagnostic> more) {
  for (Diagnostic& finding : more)
    findings.add(std::move(finding));
}

void add_unreached_nodes(
    const FabricSpec& spec, const discovery::Evidence& evidence, Findings& findings) {
  for (const auto& [name, node] : spec.nodes) {
    const discovery::NodeEvidence& found = evidence.node(name);
    if (!is_host_of_ours(spec, node) || is_offline(node) || found.reached) continue;
    findings.unreached.emplace(
        name,
        findings.add(
            {Severity::error,
             "not-reachable",
             node.range,
             fmt::format(
                 "{} was not reached, so the state of its ports is not known: {}",
                 name.str(),
                 found.why_not),
             fmt::format("bring {} back or correct its address, then verify again", name.str()),
             {},
             name}));
  }
}

bool is_member(const FabricSpec& spec, const NodeName& node) {
  return std::ranges::any_of(spec.networks, [&](const auto& network) {
    const std::vector<PortRef> ports = network.second.member_ports();
    return std::ranges::any_of(ports, [&](const PortRef& port) { return port.node == node; });
  });
}

// The verify is incomplete where it asked the node a question that no other node could answer.
void add_untestable_nodes(const FabricSpec& spec, const Tested& tested, Findings& findings) {
  const std::vector<const PathReport*> unjudged = unjudged_paths(tested.paths);
  for (const NodeName& node : tested.untestable) {
    if (!is_member(spec, node)) continue;
    const bool was_asked =
        std::ranges::any_of(
            unjudged, [&](const PathReport* report) { return report->path.from.node == node; }) ||
        std::ranges::any_of(
            tested.flows,
            [&](const FlowReport& report) { return report.flow.untestable == node; }) ||
        std::ranges::any_of(tested.failovers, [&](const FailoverReport& report) {
          return !report.failover.bond.empty() && report.failover.port.node == node;
        });
    // No path begins at a switch: its hosts test those that lead through it.
    if (!was_asked && is_switch(spec.nodes.at(node).platform.value)) continue;
    const bool pings = tested.only_pings.contains(node);
    findings.untestable.emplace(
        node,
        findings.add(
            {was_asked ? Severity::error : Severity::warning,
             "path-tests-missing",
             place_of_node(spec, node),
             fmt::format(
                 "fabric can't test {} from {}: it has no path tests for the platform {}, so "
                 "{}flows, fail-overs and counters of this node are unknown",
                 pings ? "more than pings" : "paths",
                 node.str(),
                 to_string(spec.nodes.at(node).platform.value),
                 pings ? "" : "pings, "),
             fmt::format("test the paths of {} by hand", node.str()),
             {},
             node}));
  }
}

void take(Findings findings, Report& report) {
  Findings::Linked linked = std::move(findings).link();
  report.findings = std::move(linked.findings);
  report.cause_of = std::move(linked.cause_of);
  report.nodes_of = std::move(linked.nodes_of);
}

}  // namespace

bool Report::ok() const {
  return std::ranges::none_of(
      findings, [](const Diagnostic& finding) { return finding.severity == Severity::error; });
}

bool is_incomplete(const Diagnostic& finding) {
  constexpr std::array<std::string_view, 9> kUnjudged{
      "cable-unproven",
      "switch-vlan-unknown",
      "path-untested",
      "path-tests-missing",
      "tool-missing",
      "failover-untested",
      "qos-unknown",
      "routing-unknown",
      "isolation-unproven"};
  return std::ranges::find(kUnjudged, finding.rule) != kUnjudged.end();
}

Report judge(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const Tested& tested,
    const Diagnostics& of_resources) {
  const discovery::Evidence evidence{spec, snapshot};
  const Topology topology{spec};
  Report report;
  const WireCables wire{spec, tested.wire};
  const ExpectedLosses expected{spec, snapshot, evidence, topology};
  report.cables = judge_cables(spec, evidence, wire);
  report.unexpected = wire.unexpected();
  std::ranges::copy_if(tested.paths, std::back_inserter(report.paths), [&](const PathReport& path) {
    return !expected.contains(path);
  });
  report.counters = tested.counters;
  report.flows = tested.flows;
  report.failovers = tested.failovers;
  report.apart = tested.apart;
  report.managers = judge_managers(spec, evidence, tested.subnet_ports);
  report.subnet_ports = tested.subnet_ports;
  report.roce_addresses = tested.roce_addresses;
  report.qos = qos_reports(spec, evidence);
  add_qos_counters(report.counters, tested.before, tested.after, report.qos);
  report.links = link_reports(spec, snapshot, tested.links);
  prove_by_serials(report.links, report.cables);
  const LossInputs inputs{
      spec, evidence, topology, report.cables, report.paths, report.subnet_ports};
  // From causes to consequences: each looks for what explains it among those before it.
  Findings findings;
  add_unreached_nodes(spec, evidence, findings);
  add_untestable_nodes(spec, tested, findings);
  if (tested.pinged) {
    for (const auto& [node, number] : untried_paths(spec, evidence)) {
      if (const auto cause = finding_of(findings.unreached, node))
        findings.count(*cause, Effect::path_untried, number);
    }
  }
  add_cable_findings(spec, report.cables, findings);
  add_firmware_lldp_findings(spec, evidence, report.cables, findings);
  add_unexpected_findings(spec, report.unexpected, findings);
  add_shared_guid_findings(wire.shared_guids(), findings);
  add(findings, renamed_interfaces(spec, evidence));
  const auto peers = add_bond_peer_findings(spec, snapshot, report.cables, of_resources, findings);
  add_bond_findings(spec, report.cables, of_resources, peers, findings);
  add(findings, tested.network_differences);
  add(findings, missing_roce_lags(spec, evidence));
  add_manager_findings(spec, report.managers, findings);
  add(findings, tested.stray_managers);
  add_subnet_port_findings(spec, report.subnet_ports, findings);
  add_lost_chain_paths(inputs, findings);
  add_lost_switched_paths(inputs, findings);
  add_lost_full_size(inputs, findings);
  add_untested_paths(inputs, findings);
  add_apart_findings(spec, report.apart, findings);
  add_roce_findings(report.roce_addresses, findings);
  add_flow_findings(spec, report.flows, tested.bandwidth_judged, findings);
  add_failover_findings(spec, report.failovers, findings);
  add_counter_findings(spec, report.counters, findings);
  add_qos_findings(spec, report.qos, findings);
  add_lossy_findings(spec, report.roce_addresses, findings);
  add_link_findings(spec, report.links, findings);
  add_card_findings(spec, evidence, report.links, findings);
  if (tested.nodes_compared) add_odd_findings(spec, snapshot, report.links, findings);
  take(std::move(findings), report);
  return report;
}

namespace {

// The report of an Ethernet cable, of which a subnet shows nothing.
CableReport unasked(const CableSpec& cable, const NetworkSpec& network) {
  CableReport report{
      cable.a.value,
      cable.b.value,
      network.name,
      CableState::no_data,
      "--level wire reads InfiniBand subnets only",
      cable.range};
  report.lack = WireLack::level;
  return report;
}

}  // namespace

Report judge_wire(const FabricSpec& spec, const WireEvidence& evidence) {
  const WireCables wire{spec, evidence};
  Report report;
  for (const auto& [name, network] : spec.networks) {
    const bool infiniband = network.mode.value == Mode::infiniband;
    for (const CableSpec& cable : network.cables) {
      if (discovery::leads_to_offline(spec, cable)) {
        report.cables.push_back(offline_cable(spec, cable, network));
      } else {
        report.cables.push_back(infiniband ? wire.judge(cable, network) : unasked(cable, network));
      }
    }
  }
  report.unexpected = wire.unexpected();
  Findings findings;
  add_cable_findings(spec, report.cables, findings);
  add_unexpected_findings(spec, report.unexpected, findings);
  add_shared_guid_findings(wire.shared_guids(), findings);
  take(std::move(findings), report);
  return report;
}

}  // namespace fabric::verify
