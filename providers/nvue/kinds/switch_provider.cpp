// SPDX-License-Identifier: Apache-2.0
#include "providers/nvue/kinds/switch_provider.hpp"

#include "engine/model/resource_keys.hpp"
#include "engine/provider/vlans_apart.hpp"
#include "providers/nvue/kinds/revision.hpp"

namespace fabric::providers::nvue {

namespace {

// For ports, and for bonds by the first of their ports.
std::vector<UntaggedPort> untagged_ports(std::span<const Resource> wanted, const Value& applied) {
  std::vector<UntaggedPort> ports;
  for (const Resource& resource : wanted) {
    if (!resource.desired.contains("bridged")) continue;
    const Value* one = resource.bound(keys::kSwitchPort);
    const List& several = resource.bound_list(keys::kSwitchPorts);
    std::string name;
    if (one != nullptr) name = native_port(to_text(*one));
    if (!several.empty()) name = bond_with(applied, native_port(to_text(several.front())));
    if (!name.empty()) ports.push_back({&resource, name, untagged_vlan(applied, name)});
  }
  return ports;
}

}  // namespace

Provider switch_provider(
    std::string_view kind,
    Disruption disruption,
    LayeredReading (*reading)(const SwitchFacts& facts, const Asked& asked),
    Result<Work> (*revise)(const Change& change, const SwitchFacts& facts)) {
  return {
      .kind = kind,
      .probes = configuration_probes,
      .observe =
          [reading](
              std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
            const SwitchFacts found{facts};
            if (found.applied)
              report_vlans_apart(diagnostics, untagged_ports(wanted, *found.applied));
            return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
              for (const auto& [name, desired] : resource.desired)
                observation.attributes[name] = reading(found, {resource, name, desired.value});
            });
          },
      .disruption = always(disruption),
      .work = [revise](const Change& change, const WorkContext& context) -> Result<Work> {
        const SwitchFacts found{context.facts};
        if (!found.applied) return found.applied.error();
        if (!change.activates()) return Work{{save_draft(change)}};
        return revise(change, found);
      }};
}

}  // namespace fabric::providers::nvue
