// SPDX-License-Identifier: Apache-2.0
#include "plans/held_machines.hpp"

#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/disruption_hooks.hpp"

namespace fabric::plans {

namespace {

constexpr RuleInfo kHeldMachineRules[] = {
    {"machine-holds-function",
     Severity::warning,
     RuleStage::plan,
     "Nothing moves a virtual machine that holds a virtual function of a card, and a host enters "
     "maintenance mode only when no machine runs there.",
     "E-esxi-vf-owner: which machine holds a virtual function; E-esxi-maintenance-set: what the "
     "mode waits for",
     "Shut the machines down before the apply, or let `hooks.before_disruption` do it."},
};

std::set<NodeName> entering(const std::vector<Action>& actions) {
  std::set<NodeName> nodes;
  for (const Action& action : actions) {
    if (action.draft.kind == methods::kMaintenanceEnter) nodes.insert(action.node);
  }
  return nodes;
}

std::string names_of(const List& machines) {
  std::vector<std::string> names;
  for (const Value& machine : machines)
    names.push_back(to_text(machine));
  return join(names, ", ");
}

void warn(const Resource& drain, const Reading& reading, Diagnostics& diagnostics) {
  const std::string& node = drain.address.node.str();
  const About about{diagnostics, drain.address.node};
  const Value* value = reading.value();
  const List* machines = value == nullptr ? nullptr : value->as_list();
  if (machines == nullptr) {
    diagnostics.warning(
        "machine-holds-function",
        drain.origin,
        fmt::format(
            "{}: it is not known which virtual machines hold virtual functions: {}",
            node,
            reading.why()));
  } else if (!machines->empty()) {
    diagnostics
        .warning(
            "machine-holds-function",
            drain.origin,
            fmt::format(
                "{}: virtual machines hold virtual functions and will not move: {}",
                node,
                names_of(*machines)))
        .with_help(fmt::format("shut them down before {} enters its maintenance mode", node));
  }
}

}  // namespace

RuleRows held_machine_rules() {
  return kHeldMachineRules;
}

void warn_of_held_machines(
    const std::vector<Action>& actions,
    const ResourceIndex& resources,
    const discovery::Snapshot& snapshot,
    Diagnostics& diagnostics) {
  const std::set<NodeName> nodes = entering(actions);
  for (std::size_t index = 0; index < resources.size(); ++index) {
    const Resource& resource = resources.at(index);
    if (resource.address.kind != kinds::kDrain || !nodes.contains(resource.address.node)) continue;
    const Observation* observation = snapshot.find(resource.address);
    if (observation == nullptr) continue;
    const auto found = observation->attributes.find(kHeldMachines);
    if (found != observation->attributes.end() && found->second.running)
      warn(resource, *found->second.running, diagnostics);
  }
}

}  // namespace fabric::plans
