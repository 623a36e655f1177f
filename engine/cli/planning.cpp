#include "engine/cli/planning.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/cli/connect.hpp"
#include "engine/cli/diagnostics.hpp"
#include "engine/discovery/identity.hpp"
#include "engine/model/rules_facts.hpp"
#include "plans/planner.hpp"

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

// "8.0 GT/s PCIe"; nullopt for what no generation has.
std::optional<std::uint32_t> pcie_generation(std::string_view speed) {
  constexpr std::string_view kSpeeds[] = {"2.5", "5", "8", "16", "32", "64"};
  const std::string_view number = speed.substr(0, speed.find(' '));
  for (std::uint32_t generation = 1; generation <= std::size(kSpeeds); ++generation) {
    const std::string plain{kSpeeds[generation - 1]};
    if (number == plain || number == plain + ".0") return generation;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> lanes(std::string_view width) {
  const auto number = parse_integer(width);
  if (!number || *number < 1 || *number > 32) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

HostFacts host_facts(const discovery::ObservedNode& node) {
  HostFacts host{node.facts.node, discovery::identity_of(node.facts).kernel, {}, {}};
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

}  // namespace

Planned make_plan_from(const Context& context, const Wanted& wanted, std::vector<NodeFacts> facts) {
  Planned planned;
  Diagnostics diagnostics = wanted.diagnostics;
  planned.snapshot =
      discovery::observe(wanted.resources, std::move(facts), wanted.registry, diagnostics);
  const Document& document = *wanted.document;
  judge_facts(document.spec(), planned.snapshot, diagnostics);
  planned.plan = plans::make_plan(
      {document.spec(),
       document.sources,
       wanted.resources,
       planned.snapshot,
       wanted.registry,
       document.inputs},
      diagnostics);
  diagnostics.sort();
  planned.valid = !diagnostics.has_errors();
  print(context, document.sources, errors_of(diagnostics));
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
