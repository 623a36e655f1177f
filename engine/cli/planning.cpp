#include "engine/cli/planning.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/cli/connect.hpp"
#include "engine/cli/state/images.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/model/pcie.hpp"
#include "engine/model/rules/facts.hpp"
#include "engine/platform/orphan.hpp"
#include "engine/platform/peers.hpp"
#include "engine/provider/bindings.hpp"
#include "plans/planner.hpp"
#include "providers/linux/software/driver_stack.hpp"

namespace fabric::cli {

namespace {

// The errors alone: the warnings are in the plan and would be shown twice.
Diagnostics errors_of(const Diagnostics& diagnostics) {
  Diagnostics errors;
  for (const Diagnostic& item : diagnostics.items()) {
    if (item.severity == Severity::error) errors.add(item);
  }
  return errors;
}

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

HostFacts host_facts(const discovery::ObservedNode& node) {
  HostFacts host{node.facts.node, node.identity.kernel, {}, {}};
  const providers::DriverStack stack = providers::driver_stack(node.facts);
  if (stack.name == "mlnx_ofed") host.mlnx_ofed = stack.version;
  for (const auto& [address, observation] : node.observations) {
    if (address.kind != "adapter") continue;
    host.adapters.push_back(
        {address.name,
         running_text(observation, "firmware"),
         pcie_generation(running_text(observation, "pcie_speed")),
         lanes(running_text(observation, "pcie_width"))});
  }
  return host;
}

// The rules that need facts. What a provider has said already at the same place stays said once.
void judge_facts(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, Diagnostics& diagnostics) {
  std::vector<HostFacts> hosts;
  for (const auto& [name, node] : snapshot.nodes) {
    if (node.facts.reachable()) hosts.push_back(host_facts(node));
  }
  Diagnostics found;
  check_fact_rules(spec, hosts, found);
  for (const Diagnostic& item : found.items()) {
    const std::vector<Diagnostic>& said = diagnostics.items();
    const bool known = std::any_of(said.begin(), said.end(), [&](const Diagnostic& other) {
      return other.rule == item.rule && other.range == item.range;
    });
    if (!known) diagnostics.add(item);
  }
}

// Without those of nodes that are only to be observed.
std::vector<Resource> writable(const FabricSpec& spec, std::vector<Resource> orphans) {
  std::erase_if(orphans, [&spec](const Resource& orphan) {
    return spec.nodes.at(orphan.address.node).state.value == NodeState::observe;
  });
  return orphans;
}

}  // namespace

Planned make_plan_from(const Context& context, const Wanted& wanted, std::vector<NodeFacts> facts) {
  Planned planned;
  Diagnostics diagnostics = wanted.diagnostics;
  const Document& document = *wanted.document;
  std::vector<Resource> orphans =
      writable(document.spec(), find_orphans(wanted.resources, facts, wanted.registry));
  const std::vector<Resource> written = with_orphans(wanted.resources, orphans);
  std::vector<Resource> resources = with_port_guids(written, facts, wanted.registry);
  read_images(document.folder, resources, diagnostics);
  planned.snapshot = discovery::observe(resources, std::move(facts), wanted.registry, diagnostics);
  judge_facts(document.spec(), planned.snapshot, diagnostics);
  planned.plan = plans::make_plan(
      {document.spec(),
       document.sources,
       resources,
       planned.snapshot,
       wanted.registry,
       document.inputs,
       std::move(orphans),
       wanted.stage,
       binding_delta(written, resources),
       wanted.allow_no_rollback},
      diagnostics);
  diagnostics.sort();
  planned.valid = !diagnostics.has_errors();
  print(context, document.sources, errors_of(diagnostics));
  planned.diagnostics = std::move(diagnostics);
  return planned;
}

Result<Planned> plan_now(Context& context, const Wanted& wanted) {
  Random random = fresh_random(context.clock());
  std::unique_ptr<remote::StepRunner> runner;
  if (context.options().facts.empty())
    runner = FABRIC_TRY(connect(context, wanted.document->spec()));
  std::vector<NodeFacts> facts = FABRIC_TRY(read_facts(context, wanted, runner.get(), random));
  return make_plan_from(context, wanted, std::move(facts));
}

ExitCode exit_code_of(const Planned& planned) {
  if (!planned.valid) return ExitCode::invalid;
  return complete(planned.snapshot) ? ExitCode::done : ExitCode::unreachable;
}

}  // namespace fabric::cli
