#include "engine/verify/managers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/model/infiniband_subnets.hpp"

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

}  // namespace

std::vector<ManagerReport> judge_managers(
    const FabricSpec& spec, const discovery::Snapshot& snapshot) {
  std::vector<ManagerReport> reports;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (const PortRef& port : network.member_ports()) {
      const bool is_placed = std::any_of(
          network.subnet_managers.begin(),
          network.subnet_managers.end(),
          [&](const SubnetManagerPlacement& each) {
            return each.node.value == port.node.str() && port_fits(port, each.port.value);
          });
      const Observation* found = is_placed ? observed(snapshot, name, port) : nullptr;
      if (found == nullptr) continue;
      reports.push_back(
          {name,
           port,
           running_text(*found, "state"),
           running_text(*found, "master"),
           !running_text(*found, "state").empty()});
    }
  }
  return reports;
}

std::vector<Finding> manager_findings(
    const FabricSpec& spec, const std::vector<ManagerReport>& managers) {
  std::vector<Finding> findings;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    const InfinibandSubnets subnets = infiniband_subnets(network);
    std::map<std::size_t, std::vector<const ManagerReport*>> of_subnet;
    for (const ManagerReport& each : managers) {
      const auto subnet = subnets.of_port.find(each.port);
      if (each.network == name && subnet != subnets.of_port.end())
        of_subnet[subnet->second].push_back(&each);
    }
    for (const auto& [subnet, there] : of_subnet) {
      if (!is_silent(there)) continue;
      findings.push_back(
          {"sm-silent",
           Severity::error,
           fmt::format(
               "nobody manages the subnet of {}, where the document places a manager: its ports "
               "stay "
               "in INIT",
               there.front()->port.str()),
           "run `fabric plan`: it says which manager does not run",
           network.range});
    }
  }
  return findings;
}

}  // namespace fabric::verify
