// SPDX-License-Identifier: Apache-2.0
#include "plans/plan_nodes.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/base/parallel.hpp"
#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/disruption_hooks.hpp"

namespace fabric::plans {

namespace {

constexpr RuleInfo kPlanNodeRules[] = {
    {"node-unreachable",
     Severity::warning,
     RuleStage::plan,
     "The node did not answer, so its state is not known and nothing is planned for it.",
     "E-unreachable: ansible issue 56265",
     "See the reason in the message; exit code 4 says that the result is incomplete."},
    {"node-offline",
     Severity::info,
     RuleStage::plan,
     "The document or --offline says that the node is down. fabric does not contact it and plans "
     "nothing there. It counts as down for every other node, and its cables may be dark.",
     "E-unreachable: ansible issue 56265",
     "When it is back, remove `state: offline` or the option, and plan again."},
    {"own-machine",
     Severity::info,
     RuleStage::plan,
     "The node is the machine that fabric runs on, by its boot id and machine id. Its work comes "
     "last, and its operator reboots it, because a reboot would end the run.",
     "E-linux-machine-id: machine-id(5)",
     "Reboot it by hand when everything else is done, then plan again."},
    {"identity-missing",
     Severity::warning,
     RuleStage::plan,
     "The node has no machine id, so apply can't tell whether it is still the machine of the "
     "plan.",
     "E-linux-machine-id: machine-id(5)",
     "Make a machine id: systemd-machine-id-setup, or dbus-uuidgen --ensure."},
};

PlanNode plan_node(const discovery::ObservedNode& observed) {
  PlanNode node;
  const NodeFacts& facts = observed.facts;
  node.platform = facts.platform;
  if (facts.failure) {
    node.reachable = false;
    node.failure = facts.failure->message;
    return node;
  }
  const platform::Identity& identity = observed.identity;
  node.machine_id = identity.machine_id;
  node.boot_id = identity.boot_id;
  node.host_key = facts.host_key_fingerprint;
  node.facts_digest = discovery::facts_digest(observed);
  return node;
}

// True if the value is known and differs.
bool is_other_than(
    const discovery::Snapshot& snapshot,
    const ResourceAddress& address,
    std::string_view attribute,
    const Value& value) {
  const Observation* observation = snapshot.find(address);
  if (observation == nullptr) return false;
  const auto found = observation->attributes.find(attribute);
  if (found == observation->attributes.end() || !found->second.running) return false;
  const Reading& running = *found->second.running;
  return !running.is_unknown() && !running.equals(value);
}

bool forwards_nothing(const discovery::Snapshot& snapshot, const PortRef& port) {
  constexpr std::int64_t kEthernet = 2;
  constexpr std::int64_t kBasic = 1;
  const ResourceAddress settings{port.node, std::string{kinds::kSettings}, port.adapter};
  const ResourceAddress carrier{
      port.node, std::string{kinds::kCarrier}, port.adapter + "." + port.port};
  // An interface that is down tells nothing: firmware may keep its link up (KEEP_ETH_LINK_UP).
  const bool may_be_kept_up = is_other_than(snapshot, carrier, keys::kInterfaceIsDown, false);
  return is_other_than(snapshot, settings, "HOST_CHAINING_MODE", kBasic) ||
         is_other_than(snapshot, settings, "LINK_TYPE_P" + port.port, kEthernet) ||
         (!may_be_kept_up && is_other_than(snapshot, carrier, "carrier", true));
}

PlanNode down_node(const FabricSpec& spec, const NodeName& name) {
  PlanNode node;
  node.platform = spec.nodes.at(name).platform.value;
  node.reachable = false;
  return node;
}

SourceRange range_of(const FabricSpec& spec, const NodeName& name) {
  const auto declared = spec.nodes.find(name);
  return declared == spec.nodes.end() ? SourceRange{} : declared->second.range;
}

// "was" for one node, "were" for more.
const char* verb(const std::vector<NodeName>& nodes, const char* one, const char* more) {
  return nodes.size() == 1 ? one : more;
}

void name_unreached(const PlanInputs& inputs, const Plan& plan, Diagnostics& diagnostics) {
  using Key = std::tuple<SourceRange, bool, std::string>;  // place, outside, why
  std::map<Key, std::vector<NodeName>> nodes_of;
  for (const auto& [name, node] : plan.nodes) {
    if (node.reachable || node.offline) continue;
    nodes_of[{range_of(inputs.spec, name), node.outside, node.failure}].push_back(name);
  }
  for (const auto& [key, nodes] : nodes_of) {
    const auto& [range, outside, failure] = key;
    const std::string who = fold(nodes);
    const char* were = verb(nodes, "was", "were");
    const char* count = verb(nodes, "counts", "count");
    diagnostics.warning(
        "node-unreachable",
        range,
        outside ? fmt::format(
                      "{} outside of --limit {} not reached, and {} as down: {}",
                      who,
                      were,
                      count,
                      failure)
                : fmt::format(
                      "{} {} not reached, so nothing is planned there: {}", who, were, failure));
  }
}

void name_offline(const PlanInputs& inputs, const Plan& plan, Diagnostics& diagnostics) {
  std::map<SourceRange, std::vector<NodeName>> offline;
  for (const auto& [name, node] : plan.nodes) {
    if (node.offline) offline[range_of(inputs.spec, name)].push_back(name);
  }
  for (const auto& [range, nodes] : offline) {
    diagnostics.info(
        "node-offline",
        range,
        fmt::format(
            "{0} {1} offline: nothing is planned there, fabric does not contact {2}, and {3} as "
            "down",
            fold(nodes),
            verb(nodes, "is", "are"),
            verb(nodes, "it", "them"),
            verb(nodes, "it counts", "they count")));
  }
}

void name_own(const PlanInputs& inputs, const Plan& plan, Diagnostics& diagnostics) {
  for (const auto& [name, node] : plan.nodes) {
    if (!node.own) continue;
    const About about{diagnostics, name};
    diagnostics.info(
        "own-machine",
        range_of(inputs.spec, name),
        fmt::format(
            "{} is the machine that fabric runs on: its work comes last, and you reboot it "
            "yourself",
            name.str()));
  }
}

}  // namespace

RuleRows plan_node_rules() {
  return kPlanNodeRules;
}

std::map<NodeName, PlanNode> plan_nodes(const PlanInputs& inputs) {
  std::map<NodeName, PlanNode> nodes;
  std::vector<std::pair<const discovery::ObservedNode*, PlanNode*>> observed;
  for (const auto& [name, node] : inputs.snapshot.nodes)
    observed.emplace_back(&node, &nodes[name]);
  for_each_index(observed.size(), [&observed](std::size_t index) {
    *observed[index].second = plan_node(*observed[index].first);
  });
  for (const auto& [name, failure] : inputs.outside) {
    PlanNode node = down_node(inputs.spec, name);
    node.outside = true;
    node.failure = failure;
    nodes.insert_or_assign(name, std::move(node));
  }
  for (const auto& [name, declared] : inputs.spec.nodes) {
    if (!is_offline(declared)) continue;
    PlanNode node = down_node(inputs.spec, name);
    node.offline = true;
    node.failure = "it is known to be offline";
    nodes.insert_or_assign(name, std::move(node));
  }
  if (const std::optional<NodeName> own = own_node(inputs)) nodes.at(*own).own = true;
  return nodes;
}

Down down_nodes(const PlanInputs& inputs) {
  Down down;
  for (const auto& [name, node] : inputs.snapshot.nodes) {
    if (!node.facts.reachable()) down.unreached.insert(name);
  }
  for (const auto& [name, failure] : inputs.outside)
    down.unreached.insert(name);
  for (const auto& [name, node] : inputs.spec.nodes) {
    if (!is_offline(node)) continue;
    down.unreached.erase(name);
    down.offline.insert(name);
  }
  return down;
}

std::optional<NodeName> own_node(const PlanInputs& inputs) {
  for (const auto& [name, node] : inputs.snapshot.nodes) {
    if (node.facts.reachable() && platform::is_same_machine(node.identity, inputs.own)) return name;
  }
  return std::nullopt;
}

NotForwarding not_forwarding(const FabricSpec& spec, const discovery::Snapshot& snapshot) {
  NotForwarding found;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::chain) continue;
    for (const PortRef& port : network.member_ports()) {
      if (forwards_nothing(snapshot, port)) found.emplace(name, port.node);
    }
  }
  return found;
}

void name_nodes(const PlanInputs& inputs, const Plan& plan, Diagnostics& diagnostics) {
  name_unreached(inputs, plan, diagnostics);
  name_offline(inputs, plan, diagnostics);
  name_own(inputs, plan, diagnostics);
}

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
