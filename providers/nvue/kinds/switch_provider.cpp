// SPDX-License-Identifier: Apache-2.0
#include "providers/nvue/kinds/switch_provider.hpp"

#include <algorithm>

#include "providers/nvue/kinds/revision.hpp"

namespace fabric::providers::nvue {

Provider switch_provider(
    std::string_view kind,
    Disruption disruption,
    LayeredReading (*reading)(const SwitchFacts& facts, const Asked& asked),
    Result<Work> (*revise)(const Change& change, const SwitchFacts& facts)) {
  return {
      .kind = kind,
      .probes = configuration_probes,
      .observe =
          [reading](std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics&) {
            const SwitchFacts found{facts};
            std::vector<Observation> observations;
            for (const Resource& resource : wanted) {
              Observation& observation =
                  observations.emplace_back(Observation{resource.address, {}});
              for (const auto& [name, desired] : resource.desired)
                observation.attributes[name] = reading(found, {resource, name, desired.value});
            }
            return observations;
          },
      .disruption = always(disruption),
      .work = [revise](const Change& change, const WorkContext& context) -> Result<Work> {
        const SwitchFacts found{context.facts};
        if (!found.applied) return found.applied.error();
        const bool activates =
            std::any_of(change.attributes.begin(), change.attributes.end(), [](const auto& each) {
              return each.activate;
            });
        if (!activates) return Work{{save_draft(change)}};
        return revise(change, found);
      }};
}

}  // namespace fabric::providers::nvue
