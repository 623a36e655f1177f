#include "engine/workflow/fact_rules.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/model/pcie.hpp"
#include "engine/model/rules/facts.hpp"
#include "providers/linux/software/driver_stack.hpp"

namespace fabric::workflow {

namespace {

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

}  // namespace

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

}  // namespace fabric::workflow
