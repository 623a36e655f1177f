// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/failover/manager_failover.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace fabric::verify {

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

}  // namespace fabric::verify
