// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/fact_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "engine/base/parallel.hpp"
#include "engine/base/text.hpp"
#include "engine/model/pcie.hpp"
#include "engine/model/rules/facts.hpp"
#include "engine/provider/peers.hpp"

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

// Asks the provider that can answer.
std::string vendor_drivers(const NodeFacts& facts, const Registry& registry) {
  for (const Provider* provider : registry.all(facts.platform)) {
    std::string version = provider->vendor_drivers(facts);
    if (!version.empty()) return version;
  }
  return {};
}

std::map<std::uint32_t, std::uint32_t> link_gbps(
    const NodeSpec& node, const std::string& adapter, const verify::Evidence& evidence) {
  constexpr std::int64_t kGigabit = 1000;
  std::map<std::uint32_t, std::uint32_t> speeds;
  const AdapterSpec* found = node.find_adapter(adapter);
  for (std::uint32_t number = 1; found != nullptr && number <= found->ports.value; ++number) {
    const verify::PortEvidence port = evidence.port({node.name, adapter, std::to_string(number)});
    if (!port.device || !port.device->speed_mbps || *port.device->speed_mbps < kGigabit) continue;
    speeds[number] = static_cast<std::uint32_t>(*port.device->speed_mbps / kGigabit);
  }
  return speeds;
}

void add_identity(
    AdapterFacts& facts,
    const NodeSpec& node,
    const Observation& observation,
    const verify::Evidence& evidence,
    const PortGuids& guids) {
  const AdapterSpec* adapter = node.find_adapter(facts.adapter);
  for (std::uint32_t number = 1; adapter != nullptr && number <= adapter->ports.value; ++number) {
    const PortRef port{node.name, facts.adapter, std::to_string(number)};
    const verify::PortEvidence seen = evidence.port(port);
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
  const verify::Evidence& evidence = judged.evidence;
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

}  // namespace

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

}  // namespace fabric::workflow
