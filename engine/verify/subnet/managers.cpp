// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/subnet/managers.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/topology/infiniband_subnets.hpp"
#include "engine/verify/subnet/subnet_ports.hpp"

namespace fabric::verify {

namespace {

bool is_master(const ManagerReport& report) {
  return report.state == "master";
}

// True if no manager is master and none of them could be an unseen one.
bool is_silent(const std::vector<const ManagerReport*>& managers) {
  return !managers.empty() && std::ranges::all_of(managers, [](const auto* each) {
    return each->asked && !is_master(*each) && each->master.empty();
  });
}

// "ftree, updn"
std::vector<std::string> wanted_engines(const NetworkSpec& network) {
  std::vector<std::string> engines;
  if (!network.subnet_manager) return engines;
  for (const std::string_view each : split(network.subnet_manager->routing_engine.value, ',')) {
    if (!trim(each).empty()) engines.emplace_back(trim(each));
  }
  return engines;
}

// Returns a report for each master that ports of the network hear, with the first such port.
std::vector<ManagerReport> external_masters(
    const std::string& network, const std::vector<SubnetPortReport>& ports) {
  std::vector<ManagerReport> reports;
  for (const SubnetPortReport& port : ports) {
    if (port.network != network || port.master.empty()) continue;
    const bool known =
        std::ranges::any_of(reports, [&](const auto& each) { return each.master == port.master; });
    if (!known) reports.push_back({network, port.port, "external", port.master});
  }
  return reports;
}

// The document's one GUID is that of a manager of one subnet: of several it must serve one.
std::optional<Diagnostic> external_finding(
    const NetworkSpec& network, const std::vector<ManagerReport>& managers) {
  if (!has_external_manager(network) || network.subnet_manager->guid.value.empty())
    return std::nullopt;
  const Sourced<std::string>& wanted = network.subnet_manager->guid;
  const Result<Guid> guid = Guid::parse(wanted.value);
  std::vector<std::string> others;
  for (const ManagerReport& each : managers) {
    if (each.state != "external") continue;
    if (guid && each.master == guid->str()) return std::nullopt;
    others.push_back(fmt::format("{} (heard by {})", each.master, each.port.str()));
  }
  if (others.empty()) return std::nullopt;
  return Diagnostic{
      Severity::error,
      "external-master-differs",
      wanted.range,
      fmt::format(
          "the master of network {} is {}, but the document says {}",
          network.name,
          join(others, ", "),
          wanted.value),
      "stop the manager that took over, or start the document's; or write the port GUID of the "
      "manager that is to stay",
      {}};
}

// A wish is no evidence: OpenSM writes how it routed, as soon as it is master of switches.
std::optional<Diagnostic> routing_unknown(
    const NetworkSpec& network, const ManagerReport& manager, bool has_switches) {
  if (wanted_engines(network).empty() || !has_switches || !is_master(manager) ||
      !manager.routed_by.empty())
    return std::nullopt;
  return Diagnostic{
      Severity::error,
      "routing-unknown",
      network.subnet_manager->routing_engine.range,
      fmt::format(
          "the manager on {} is master, and its log does not say how it routed the subnet; the "
          "document wants {}",
          manager.port.str(),
          network.subnet_manager->routing_engine.value),
      "look for 'tables configured on all switches' in the log that its options file names; "
      "OpenSM writes it with every heavy sweep (`kill -HUP` makes one)",
      {},
      manager.port.subject()};
}

// The first engine of the document is what it wants; the others are what it can live with.
std::optional<Diagnostic> routing_finding(
    const NetworkSpec& network, const ManagerReport& manager) {
  const std::vector<std::string> wanted = wanted_engines(network);
  if (wanted.empty() || !is_master(manager) || manager.routed_by.empty() ||
      manager.routed_by == wanted.front())
    return std::nullopt;
  const bool accepted = std::ranges::find(wanted, manager.routed_by) != wanted.end();
  std::string message = fmt::format(
      "the manager on {} routed the subnet by {}, but the document wants {}",
      manager.port.str(),
      manager.routed_by,
      network.subnet_manager->routing_engine.value);
  if (!manager.routing_error.empty()) message += "; it says: " + manager.routing_error;
  return Diagnostic{
      accepted ? Severity::warning : Severity::error,
      "routing-fell-back",
      network.subnet_manager->routing_engine.range,
      std::move(message),
      "correct the cabling or the roots that the engine needs, or name another engine",
      {},
      manager.port.subject()};
}

// The options file is ours and says what we wrote; whether this OpenSM has the option it says
// itself.
std::optional<Diagnostic> virtualization_finding(
    const NetworkSpec& network, const ManagerReport& manager) {
  const bool wanted = network.subnet_manager && network.subnet_manager->virtualization.value;
  const bool manages = is_master(manager) || manager.state == "standby";
  if (!wanted || !manages || manager.virtualizes) return std::nullopt;
  return Diagnostic{
      Severity::error,
      "sm-virtualization-unsupported",
      network.subnet_manager->virtualization.range,
      fmt::format(
          "nothing shows that the manager on {} runs with virtualization support; without it "
          "virtual functions stay down",
          manager.port.str()),
      "run `fabric plan`: it says whether its OpenSM has that support",
      {},
      manager.port.subject()};
}

// It has its own priority and partitions, whatever the document places there.
std::optional<Diagnostic> not_ours(const NetworkSpec& network, const ManagerReport& manager) {
  if (!manager.foreign) return std::nullopt;
  return Diagnostic{
      Severity::error,
      "stray-manager",
      network.range,
      fmt::format(
          "the {} on {} is not the manager that the document places there: fabric's does not run",
          manager.state,
          manager.port.str()),
      fmt::format(
          "`fabric plan --limit {}` says what runs in its place, or starts the document's",
          manager.port.node.str()),
      {},
      manager.port.subject()};
}

void add_option_findings(
    const NetworkSpec& network,
    const InfinibandSubnets& subnets,
    const std::vector<ManagerReport>& managers,
    Findings& findings) {
  for (const ManagerReport& each : managers) {
    if (auto finding = not_ours(network, each)) findings.add(*std::move(finding));
    if (auto finding = routing_finding(network, each)) findings.add(*std::move(finding));
    if (auto finding = virtualization_finding(network, each)) findings.add(*std::move(finding));
    const auto subnet = subnets.of_port.find(each.port);
    const bool has_switches =
        subnet != subnets.of_port.end() && !subnets.subnets.at(subnet->second).switches.empty();
    if (auto finding = routing_unknown(network, each, has_switches))
      findings.add(*std::move(finding));
  }
}

// The subnet has a manager, but one less than the document wants: no standby would take over from
// it.
std::optional<Diagnostic> not_running(const NetworkSpec& network, const ManagerReport& manager) {
  if (manager.state != "none") return std::nullopt;
  return Diagnostic{
      Severity::warning,
      "sm-silent",
      network.range,
      fmt::format(
          "no manager runs on {}, where the document places one of network {}{}",
          manager.port.str(),
          network.name,
          manager.master.empty() ? "" : "; the master is " + manager.master),
      "run `fabric plan`: it starts the manager",
      {},
      manager.port.subject()};
}

const SubnetManagerPlacement* placement_of(const NetworkSpec& network, const PortRef& port) {
  const auto found =
      std::ranges::find_if(network.subnet_managers, [&port](const SubnetManagerPlacement& each) {
        return each.node.value == port.node.str() && port_fits(port, each.port.value);
      });
  return found == network.subnet_managers.end() ? nullptr : &*found;
}

// The finding about a master where another running manager should be it by its priority.
std::optional<Diagnostic> wrong_master(
    const NetworkSpec& network, const std::vector<const ManagerReport*>& managers) {
  const ManagerReport* master = nullptr;
  const ManagerReport* wanted = nullptr;
  std::int64_t highest = -1, of_master = -1;
  for (const ManagerReport* each : managers) {
    const SubnetManagerPlacement* placed = placement_of(network, each->port);
    if (placed == nullptr || (each->state != "master" && each->state != "standby")) continue;
    const std::int64_t priority = placed->priority.value;
    if (is_master(*each)) {
      master = each;
      of_master = priority;
    }
    if (priority > highest) {
      wanted = each;
      highest = priority;
    }
  }
  if (master == nullptr || of_master >= highest) return std::nullopt;
  return Diagnostic{
      Severity::error,
      "master-differs",
      network.range,
      fmt::format(
          "{} is master of network {} with priority {} of the document, but {} with priority {} is "
          "standby",
          master->port.str(),
          network.name,
          of_master,
          wanted->port.str(),
          highest),
      fmt::format(
          "`fabric plan --limit {}` compares the priority that runs there; if it finds nothing, "
          "restart the manager of {}",
          wanted->port.node.str(),
          master->port.node.str()),
      {},
      master->port.subject()};
}

void add_silent_subnets(
    const NetworkSpec& network,
    const InfinibandSubnets& subnets,
    const std::vector<ManagerReport>& managers,
    Findings& findings) {
  std::map<std::size_t, std::vector<const ManagerReport*>> of_subnet;
  for (const ManagerReport& each : managers) {
    const auto subnet = subnets.of_port.find(each.port);
    if (subnet != subnets.of_port.end()) of_subnet[subnet->second].push_back(&each);
  }
  for (const auto& [subnet, there] : of_subnet) {
    if (!is_silent(there)) {
      if (auto finding = wrong_master(network, there)) findings.add(*std::move(finding));
      for (const ManagerReport* each : there) {
        if (auto finding = not_running(network, *each)) findings.add(*std::move(finding));
      }
      continue;
    }
    const Findings::Number silent = findings.add(
        {Severity::error,
         "sm-silent",
         network.range,
         fmt::format(
             "no manager manages the subnet of {}, where the document places one: its ports stay "
             "in INIT",
             there.front()->port.str()),
         "run `fabric plan`: it says which manager does not run",
         {},
         there.front()->port.subject()});
    findings.unmanaged_subnets.emplace(network.name, silent);
  }
}

}  // namespace

std::vector<ManagerReport> judge_managers(
    const FabricSpec& spec,
    const discovery::Evidence& evidence,
    const std::vector<SubnetPortReport>& ports) {
  std::vector<ManagerReport> reports;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    if (has_external_manager(network)) {
      for (ManagerReport& each : external_masters(name, ports))
        reports.push_back(std::move(each));
      continue;
    }
    for (const PortRef& port : network.member_ports()) {
      const ResourceAddress manager{
          port.node, "subnet_manager", name + "." + port.adapter + "." + port.port};
      if (!places_manager(network, port) || !evidence.observed(manager)) continue;
      const auto text = [&](std::string_view attribute) {
        return evidence.running_text(manager, attribute);
      };
      const Reading* manages = evidence.running(manager, "manages");
      reports.push_back(
          {name,
           port,
           text("state"),
           text("master"),
           !text("state").empty(),
           text("since"),
           text("routed_by"),
           text("routing_error"),
           text("virtualization") == "true",
           manages != nullptr && manages->is_absent() &&
               (text("state") == "master" || text("state") == "standby")});
    }
  }
  return reports;
}

void add_manager_findings(
    const FabricSpec& spec, const std::vector<ManagerReport>& managers, Findings& findings) {
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    std::vector<ManagerReport> of_network;
    std::ranges::copy_if(
        managers, std::back_inserter(of_network), [&name = name](const ManagerReport& each) {
          return each.network == name;
        });
    const InfinibandSubnets subnets = infiniband_subnets(network);
    if (auto finding = external_finding(network, of_network)) findings.add(*std::move(finding));
    add_option_findings(network, subnets, of_network, findings);
    add_silent_subnets(network, subnets, of_network, findings);
  }
}

namespace {

// The port GUID: the lower half of the port's first GID, "fe80:0000:0000:0000:0c42:a103:005e:3000".
std::optional<Guid> port_guid(const RdmaPort& rdma) {
  constexpr std::size_t kGroups = 8;
  if (rdma.gids.empty() || rdma.gids.front().index != 0) return std::nullopt;
  const std::vector<std::string_view> groups = split(rdma.gids.front().address, ':');
  if (groups.size() != kGroups) return std::nullopt;
  std::uint64_t bits = 0;
  for (std::size_t group = kGroups / 2; group < kGroups; ++group) {
    const auto part = parse_unsigned(groups[group], 16);
    if (!part) return std::nullopt;
    bits = bits << 16U | *part;
  }
  return Guid{bits};
}

class Subnets {
 public:
  Subnets(
      const FabricSpec& spec, const discovery::Evidence& evidence, const ReadingsByNode& readings)
      : evidence_{evidence}, readings_{readings} {
    for (const auto& [name, network] : spec.networks) {
      if (network.mode.value != Mode::infiniband) continue;
      for (const PortRef& port : network.member_ports()) {
        const RdmaPort* rdma = infiniband_port(evidence_, readings_, port);
        const std::optional<Guid> guid = rdma == nullptr ? std::nullopt : port_guid(*rdma);
        if (guid) ports_.emplace(*guid, port);
      }
    }
  }

  std::vector<Diagnostic> judge(const NetworkSpec& network) const {
    const std::optional<std::set<Guid>> placed = managers_of(network);
    std::vector<Diagnostic> findings;
    if (!placed) return findings;
    std::set<Guid> reported;
    for (const PortRef& port : network.member_ports()) {
      const RdmaPort* rdma = infiniband_port(evidence_, readings_, port);
      if (rdma == nullptr || !rdma->managers) continue;
      for (const ManagerRecord& manager : *rdma->managers) {
        if (placed->contains(manager.guid) || !is_ours_to_judge(network, manager)) continue;
        if (reported.insert(manager.guid).second) findings.push_back(stray(network, manager));
      }
    }
    return findings;
  }

 private:
  // The port GUIDs of the network's managers; nullopt if that of one is unknown.
  std::optional<std::set<Guid>> managers_of(const NetworkSpec& network) const {
    std::set<Guid> placed;
    if (network.subnet_manager && !network.subnet_manager->guid.value.empty()) {
      if (const Result<Guid> guid = Guid::parse(network.subnet_manager->guid.value))
        placed.insert(*guid);
    } else if (has_external_manager(network)) {
      return std::nullopt;
    }
    std::size_t found = 0;
    for (const auto& [guid, port] : ports_) {
      if (!places_manager(network, port)) continue;
      placed.insert(guid);
      ++found;
    }
    if (found < network.subnet_managers.size()) return std::nullopt;
    return placed;
  }

  // An external manager may have standbys of its own; external-master-differs judges the master.
  bool is_ours_to_judge(const NetworkSpec& network, const ManagerRecord& manager) const {
    return !has_external_manager(network) || (!manager.master && ports_.contains(manager.guid));
  }

  Diagnostic stray(const NetworkSpec& network, const ManagerRecord& manager) const {
    const auto port = ports_.find(manager.guid);
    const bool is_known = port != ports_.end();
    Diagnostic finding{
        manager.master ? Severity::error : Severity::warning,
        "stray-manager",
        network.range,
        fmt::format(
            "network {}: {} at {} (priority {}), where the document places no manager",
            network.name,
            manager.master ? "the master is" : "a manager stands by",
            is_known ? port->second.str() : manager.guid.str(),
            manager.priority),
        {},
        {},
        is_known ? port->second.subject() : Subject{}};
    return finding.with_help(
        "stop that manager (Debian's: systemctl disable --now opensm), or place it: when the "
        "others "
        "are gone it takes over without their partitions");
  }

  const discovery::Evidence& evidence_;
  const ReadingsByNode& readings_;
  std::map<Guid, PortRef> ports_;
};

}  // namespace

std::vector<Diagnostic> stray_managers(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, const ReadingsByNode& readings) {
  const discovery::Evidence evidence{spec, snapshot};
  const Subnets subnets{spec, evidence, readings};
  std::vector<Diagnostic> findings;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (Diagnostic& finding : subnets.judge(network))
      findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace fabric::verify
