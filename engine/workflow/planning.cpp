// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/planning.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "engine/base/parallel.hpp"
#include "engine/base/text.hpp"
#include "engine/discovery/evidence.hpp"
#include "engine/discovery/reach_fabric.hpp"
#include "engine/model/document/shown_values.hpp"
#include "engine/model/pcie.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/rules/facts.hpp"
#include "engine/model/spec.hpp"
#include "engine/provider/peers.hpp"
#include "engine/provider/registry.hpp"
#include "engine/provider/statements.hpp"
#include "engine/verify/paths/lost_paths.hpp"
#include "engine/workflow/discovering.hpp"
#include "engine/workflow/trust.hpp"
#include "plans/planner.hpp"

namespace fabric::workflow {

namespace {

// The rules of the document that need facts of its hosts.

struct JudgedFacts {
  const FabricSpec& spec;
  const discovery::Snapshot& snapshot;
  const std::vector<Resource>& resources;
  const Registry& registry;
  const discovery::Evidence& evidence;  // evidence of that document and snapshot
};

std::string running_text(const Observation& observation, std::string_view attribute) {
  const auto found = observation.attributes.find(attribute);
  if (found == observation.attributes.end() || !found->second.running) return {};
  const Value* value = found->second.running->value();
  return value == nullptr ? std::string{} : to_text(*value);
}

std::optional<std::uint32_t> lanes(std::string_view width) {
  const auto number = parse_integer(width);
  if (!number || *number < 1 || *number > 32) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

// Asks the provider that can answer.
std::string vendor_drivers(const NodeFacts& facts, const Registry& registry) {
  for (const Provider* provider : registry.all(facts.platform)) {
    std::string version = provider->vendor_drivers(facts);
    if (!version.empty()) return version;
  }
  return {};
}

std::map<std::uint32_t, std::uint32_t> link_gbps(
    const NodeSpec& node, const std::string& adapter, const discovery::Evidence& evidence) {
  constexpr std::int64_t kGigabit = 1000;
  std::map<std::uint32_t, std::uint32_t> speeds;
  const AdapterSpec* found = node.find_adapter(adapter);
  for (std::uint32_t number = 1; found != nullptr && number <= found->ports.value; ++number) {
    const discovery::PortEvidence port =
        evidence.port({node.name, adapter, std::to_string(number)});
    if (!port.device || !port.device->speed_mbps || *port.device->speed_mbps < kGigabit) continue;
    speeds[number] = static_cast<std::uint32_t>(*port.device->speed_mbps / kGigabit);
  }
  return speeds;
}

void add_identity(
    AdapterFacts& facts,
    const NodeSpec& node,
    const Observation& observation,
    const discovery::Evidence& evidence,
    const PortGuids& guids) {
  const AdapterSpec* adapter = node.find_adapter(facts.adapter);
  for (std::uint32_t number = 1; adapter != nullptr && number <= adapter->ports.value; ++number) {
    const PortRef port{node.name, facts.adapter, std::to_string(number)};
    const discovery::PortEvidence seen = evidence.port(port);
    if (seen.device && seen.device->mac) facts.macs.emplace(number, *seen.device->mac);
    const auto found = guids.find(port.str());
    const Result<Guid> guid = Guid::parse(found == guids.end() ? std::string{} : found->second);
    if (guid) facts.port_guids.emplace(number, *guid);
  }
  facts.serial = running_text(observation, "serial");
  facts.system_image = running_text(observation, "system_image");
}

HostFacts host_facts(
    const discovery::ObservedNode& node, const JudgedFacts& judged, const PortGuids& guids) {
  const FabricSpec& spec = judged.spec;
  const discovery::Evidence& evidence = judged.evidence;
  HostFacts host{
      node.facts.node, node.identity.kernel, vendor_drivers(node.facts, judged.registry), {}};
  if (!spec.isolated.empty() && node.routing != nullptr) {
    const auto routing = node.routing(node.facts);
    if (routing) host.forwards = routing->forwards;
  }
  for (const auto& [address, observation] : node.observations) {
    if (address.kind != "adapter") continue;
    const auto wanted = spec.nodes.find(node.facts.node);
    host.adapters.push_back(
        {address.name,
         running_text(observation, "firmware"),
         pcie_generation(running_text(observation, "pcie_speed")),
         lanes(running_text(observation, "pcie_width")),
         wanted == spec.nodes.end() ? std::map<std::uint32_t, std::uint32_t>{}
                                    : link_gbps(wanted->second, address.name, evidence)});
    if (wanted != spec.nodes.end())
      add_identity(host.adapters.back(), wanted->second, observation, evidence, guids);
  }
  return host;
}

// A finding that a provider has made at the same place already is not repeated.
void judge_facts(const JudgedFacts& judged, Diagnostics& diagnostics) {
  std::map<NodeName, const NodeFacts*> reached;
  std::vector<const discovery::ObservedNode*> nodes;
  for (const auto& [name, node] : judged.snapshot.nodes) {
    if (!node.facts.reachable()) continue;
    reached.emplace(name, &node.facts);
    nodes.push_back(&node);
  }
  const PortGuids guids = all_port_guids(judged.resources, reached, judged.registry);
  std::vector<std::optional<HostFacts>> made(nodes.size());
  for_each_index(nodes.size(), [&](std::size_t index) {
    made[index] = host_facts(*nodes[index], judged, guids);
  });
  std::vector<HostFacts> hosts;
  hosts.reserve(made.size());
  for (std::optional<HostFacts>& host : made)
    hosts.push_back(*std::move(host));
  Diagnostics found;
  check_fact_rules(judged.spec, hosts, found);
  const auto said_before = static_cast<std::ptrdiff_t>(diagnostics.items().size());
  for (const Diagnostic& item : found.items()) {
    const auto said = diagnostics.items().begin();
    const bool known = std::any_of(said, said + said_before, [&](const Diagnostic& other) {
      return other.rule == item.rule && other.range == item.range;
    });
    if (!known) diagnostics.add(item);
  }
}

// Takes the nodes outside of the limit out of the snapshot, but for those that can be drained;
// returns those that count as down, and why.
std::map<NodeName, std::string> take_outside(
    const Desired& desired, std::vector<NodeFacts>& facts) {
  std::map<NodeName, std::string> down;
  std::set<NodeName> wanted;
  for (const Resource& resource : desired.resources)
    wanted.insert(resource.address.node);
  for (const NodeName& node : desired.outside)
    down.emplace(node, "it was not asked");
  std::erase_if(facts, [&](const NodeFacts& node) {
    const auto found = down.find(node.node);
    const bool is_outside = std::ranges::binary_search(desired.outside, node.node);
    if (!is_outside) return false;
    if (node.reachable()) {
      if (found != down.end()) down.erase(found);
    } else {
      down.insert_or_assign(node.node, node.failure->message);
    }
    return !wanted.contains(node.node) || !node.reachable();
  });
  return down;
}

// The nodes that forward now, in networks of mode chain.
std::vector<reach::NetworkNow> paths_now(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const discovery::Evidence& evidence,
    Diagnostics& diagnostics) {
  const bool has_rings = std::ranges::any_of(
      spec.networks, [](const auto& network) { return network.second.mode.value == Mode::chain; });
  if (!has_rings) return {};
  std::vector<reach::NetworkNow> paths = discovery::observed_paths(spec, snapshot, evidence);
  verify::report_open_rings(spec, evidence, paths, diagnostics);
  return paths;
}

// A loss by an adoption prevents the plan from being applied, and not from being shown.
std::vector<Diagnostic> take_would_lose(Diagnostics& diagnostics) {
  std::vector<Diagnostic> taken;
  for (Diagnostic& each : diagnostics.take_items()) {
    if (each.rule == kAdoptWouldLose && each.severity == Severity::error) {
      taken.push_back(std::move(each));
    } else {
      diagnostics.add(std::move(each));
    }
  }
  return taken;
}

// YAML that `validate` would refuse is not shown.
void try_shown_values(const FabricSpec& spec, std::vector<Diagnostic>& lost) {
  std::vector<std::string> shown;
  for (const Diagnostic& each : lost)
    std::ranges::move(shown_values(each), std::back_inserter(shown));
  const std::set<std::string> refused = refused_values(spec, shown);
  for (Diagnostic& each : lost)
    take_back(each, refused);
}

bool is_only_untrusted(const Planned& planned) {
  const std::vector<Diagnostic>& found = planned.diagnostics.items();
  return std::ranges::all_of(found, [](const Diagnostic& each) {
    return each.severity != Severity::error || each.rule == kDocumentNotTrusted;
  });
}

}  // namespace

Planned make_plan(
    const Desired& desired, std::vector<NodeFacts> facts, const BindFiles& bind_files) {
  Planned planned;
  std::map<NodeName, std::string> outside = take_outside(desired, facts);
  const plans::UndoneRun* undone = desired.undone;
  // Errors of the document do not concern an undo.
  Diagnostics diagnostics = undone == nullptr ? desired.diagnostics : Diagnostics{};
  PreparedResources prepared = undone == nullptr
                                   ? prepare_resources(desired, facts, bind_files, diagnostics)
                                   : PreparedResources{
                                         undone->plan.orphans,
                                         planned_resources(desired, undone->plan),
                                         undone->plan.bindings};
  std::erase_if(prepared.resources, [&outside](const Resource& resource) {
    return outside.contains(resource.address.node);
  });
  Diagnostics observed;
  planned.snapshot =
      discovery::observe(prepared.resources, std::move(facts), desired.registry, observed);
  if (undone == nullptr) diagnostics.append(observed);
  std::vector<reach::NetworkNow> paths;
  {
    const discovery::Evidence evidence{desired.spec, planned.snapshot};
    if (undone == nullptr)
      judge_facts(
          {desired.spec, planned.snapshot, prepared.resources, desired.registry, evidence},
          diagnostics);
    paths = paths_now(desired.spec, planned.snapshot, evidence, diagnostics);
  }
  std::vector<Diagnostic> lost = take_would_lose(diagnostics);
  try_shown_values(desired.spec, lost);
  planned.plan = plans::make_plan(
      {.spec = desired.spec,
       .sources = desired.sources,
       .resources = prepared.resources,
       .snapshot = planned.snapshot,
       .registry = desired.registry,
       .files = desired.inputs,
       .orphans = std::move(prepared.orphans),
       .stage = desired.stage,
       .bindings = std::move(prepared.found_out),
       .limit = desired.limit,
       .outside = std::move(outside),
       .own = desired.own,
       .undone = undone,
       .paths = std::move(paths),
       .spent = desired.outputs_stay ? nullptr : &planned.snapshot},
      diagnostics);
  planned.complete = !diagnostics.has_errors();
  for (Diagnostic& each : lost)
    diagnostics.add(std::move(each));
  diagnostics.sort();
  planned.valid = !diagnostics.has_errors();
  planned.diagnostics = std::move(diagnostics);
  return planned;
}

ExitCode exit_code_of(const Planned& planned) {
  if (!planned.valid) return is_only_untrusted(planned) ? ExitCode::policy : ExitCode::invalid;
  return planned.plan.reached_all() ? ExitCode::done : ExitCode::unreachable;
}

}  // namespace fabric::workflow
