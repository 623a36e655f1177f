#include "engine/verify/subnet/managers.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/topology/infiniband_subnets.hpp"

namespace fabric::verify {

namespace {

std::string running_text(const Observation& observation, std::string_view attribute) {
  const auto found = observation.attributes.find(attribute);
  if (found == observation.attributes.end() || !found->second.running) return {};
  const Value* value = found->second.running->value();
  return value == nullptr ? std::string{} : to_text(*value);
}

const Observation* observed(
    const discovery::Snapshot& snapshot, const std::string& network, const PortRef& port) {
  return snapshot.find(
      {port.node, "subnet_manager", network + "." + port.adapter + "." + port.port});
}

bool is_master(const ManagerReport& report) {
  return report.state == "master";
}

// Nobody was found to be master, and nobody may be it unseen.
bool is_silent(const std::vector<const ManagerReport*>& managers) {
  return !managers.empty() && std::all_of(managers.begin(), managers.end(), [](const auto* each) {
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

bool is_external(const NetworkSpec& network) {
  return network.subnet_manager && network.subnet_manager->external.value;
}

// One for each master that ports of the network hear, with the first that does.
std::vector<ManagerReport> external_masters(
    const std::string& network, const std::vector<SubnetPortReport>& ports) {
  std::vector<ManagerReport> reports;
  for (const SubnetPortReport& port : ports) {
    if (port.network != network || port.master.empty()) continue;
    const bool known = std::any_of(reports.begin(), reports.end(), [&](const auto& each) {
      return each.master == port.master;
    });
    if (!known) reports.push_back({network, port.port, "external", port.master});
  }
  return reports;
}

// One GUID is the manager's of one subnet: of several it must serve one.
std::optional<Finding> external_finding(
    const NetworkSpec& network, const std::vector<ManagerReport>& managers) {
  if (!is_external(network) || network.subnet_manager->guid.value.empty()) return std::nullopt;
  const Sourced<std::string>& wanted = network.subnet_manager->guid;
  const Result<Guid> guid = Guid::parse(wanted.value);
  std::vector<std::string> others;
  for (const ManagerReport& each : managers) {
    if (each.state != "external") continue;
    if (guid && each.master == guid->str()) return std::nullopt;
    others.push_back(fmt::format("{} (heard by {})", each.master, each.port.str()));
  }
  if (others.empty()) return std::nullopt;
  return Finding{
      "external-master-differs",
      Severity::error,
      fmt::format(
          "the master of network {} is {}, and the document says {}",
          network.name,
          join(others, ", "),
          wanted.value),
      "stop the manager that took over, or start the document's; or write the port GUID of the one "
      "that is to stay",
      wanted.range};
}

// A wish is no evidence: OpenSM writes how it routed, as soon as it is master of switches.
std::optional<Finding> routing_unknown(
    const NetworkSpec& network, const ManagerReport& manager, bool has_switches) {
  if (wanted_engines(network).empty() || !has_switches || !is_master(manager) ||
      !manager.routed_by.empty())
    return std::nullopt;
  return Finding{
      "routing-unknown",
      Severity::warning,
      fmt::format(
          "the manager on {} is master, and its log does not say how it routed the subnet; the "
          "document wants {}",
          manager.port.str(),
          network.subnet_manager->routing_engine.value),
      "look for 'tables configured on all switches' in the log that its options file names; "
      "OpenSM writes it with every heavy sweep (`kill -HUP` makes one)",
      network.subnet_manager->routing_engine.range};
}

// The first engine of the document is what it wants; the others are what it can live with.
std::optional<Finding> routing_finding(const NetworkSpec& network, const ManagerReport& manager) {
  const std::vector<std::string> wanted = wanted_engines(network);
  if (wanted.empty() || !is_master(manager) || manager.routed_by.empty() ||
      manager.routed_by == wanted.front())
    return std::nullopt;
  const bool accepted = std::find(wanted.begin(), wanted.end(), manager.routed_by) != wanted.end();
  std::string message = fmt::format(
      "the manager on {} routed the subnet by {}, and the document wants {}",
      manager.port.str(),
      manager.routed_by,
      network.subnet_manager->routing_engine.value);
  if (!manager.routing_error.empty()) message += "; it says: " + manager.routing_error;
  return Finding{
      "routing-fell-back",
      accepted ? Severity::warning : Severity::error,
      std::move(message),
      "mend the cabling or the roots that the engine needs, or write the engine that fits",
      network.subnet_manager->routing_engine.range};
}

std::vector<Finding> routing_findings(
    const NetworkSpec& network,
    const InfinibandSubnets& subnets,
    const std::vector<ManagerReport>& managers) {
  std::vector<Finding> findings;
  for (const ManagerReport& each : managers) {
    if (auto finding = routing_finding(network, each)) findings.push_back(*std::move(finding));
    const auto subnet = subnets.of_port.find(each.port);
    const bool has_switches =
        subnet != subnets.of_port.end() && !subnets.subnets.at(subnet->second).switches.empty();
    if (auto finding = routing_unknown(network, each, has_switches))
      findings.push_back(*std::move(finding));
  }
  return findings;
}

// The subnet has a manager, and one less than the document wants: nobody takes over from it.
std::optional<Finding> not_running(const NetworkSpec& network, const ManagerReport& manager) {
  if (manager.state != "none") return std::nullopt;
  return Finding{
      "sm-silent",
      Severity::warning,
      fmt::format(
          "no manager runs on {}, where the document places one of network {}{}",
          manager.port.str(),
          network.name,
          manager.master.empty() ? "" : "; the master is " + manager.master),
      "run `fabric plan`: it starts the manager",
      network.range};
}

std::vector<Finding> silent_subnets(
    const NetworkSpec& network,
    const InfinibandSubnets& subnets,
    const std::vector<ManagerReport>& managers) {
  std::map<std::size_t, std::vector<const ManagerReport*>> of_subnet;
  for (const ManagerReport& each : managers) {
    const auto subnet = subnets.of_port.find(each.port);
    if (subnet != subnets.of_port.end()) of_subnet[subnet->second].push_back(&each);
  }
  std::vector<Finding> findings;
  for (const auto& [subnet, there] : of_subnet) {
    if (!is_silent(there)) {
      for (const ManagerReport* each : there) {
        if (auto finding = not_running(network, *each)) findings.push_back(*std::move(finding));
      }
      continue;
    }
    findings.push_back(
        {"sm-silent",
         Severity::error,
         fmt::format(
             "nobody manages the subnet of {}, where the document places a manager: its ports "
             "stay in INIT",
             there.front()->port.str()),
         "run `fabric plan`: it says which manager does not run",
         network.range});
  }
  return findings;
}

}  // namespace

std::vector<ManagerReport> judge_managers(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const std::vector<SubnetPortReport>& ports) {
  std::vector<ManagerReport> reports;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    if (is_external(network)) {
      for (ManagerReport& each : external_masters(name, ports))
        reports.push_back(std::move(each));
      continue;
    }
    for (const PortRef& port : network.member_ports()) {
      const Observation* found =
          places_manager(network, port) ? observed(snapshot, name, port) : nullptr;
      if (found == nullptr) continue;
      reports.push_back(
          {name,
           port,
           running_text(*found, "state"),
           running_text(*found, "master"),
           !running_text(*found, "state").empty(),
           running_text(*found, "since"),
           running_text(*found, "routed_by"),
           running_text(*found, "routing_error")});
    }
  }
  return reports;
}

std::vector<Finding> manager_findings(
    const FabricSpec& spec, const std::vector<ManagerReport>& managers) {
  std::vector<Finding> findings;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    std::vector<ManagerReport> of_network;
    std::copy_if(
        managers.begin(),
        managers.end(),
        std::back_inserter(of_network),
        [&name = name](const ManagerReport& each) { return each.network == name; });
    const InfinibandSubnets subnets = infiniband_subnets(network);
    if (auto finding = external_finding(network, of_network))
      findings.push_back(*std::move(finding));
    for (Finding& each : routing_findings(network, subnets, of_network))
      findings.push_back(std::move(each));
    for (Finding& each : silent_subnets(network, subnets, of_network))
      findings.push_back(std::move(each));
  }
  return findings;
}

}  // namespace fabric::verify
