// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/disruption_hooks.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/linux/machine/linux_platform.hpp"

namespace fabric::providers {

namespace {

std::string record() {
  return drained_record(platform::linux_platform().state_folder());
}

constexpr std::string_view kDrainProbe = "drained";

Reading reading_of(const NodeFacts& facts) {
  const std::string* output = facts.output(kDrainProbe);
  const std::string_view said = output == nullptr ? std::string_view{} : trim(*output);
  if (said == "drained") return Reading::of(true);
  if (said == "not drained") return Reading::of(false);
  return Reading::unknown(fmt::format("it could not be checked whether {} exists", record()));
}

std::vector<Probe> probes_of_drain() {
  return {{std::string{kDrainProbe}, std::string{sh::probe_drained.text}}};
}

std::vector<Observation> observe_drain(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  return observe_each(wanted, [&](const Resource& /*resource*/, Observation& observation) {
    observation.attributes[std::string{kDrained}].running = reading_of(facts);
  });
}

Result<Work> work_on_drain(const Change& change, const WorkContext& /*context*/) {
  Work work;
  if (change.attributes.empty()) return work;
  std::optional<ActionDraft> draft = after_disruption(change.resource, {record(), {}, {}});
  if (!draft) {
    // The document no longer has the command: only the record of what is owed is removed.
    draft.emplace();
    draft->kind = methods::kHookForget;
    draft->title = "forget that " + change.resource.address.node.str() + " is drained";
    draft->steps.remove(record());
    draft->postconditions.push_back(
        {change.resource.address, std::string{kDrained}, Layer::running, false});
  }
  work.actions.push_back(*std::move(draft));
  return work;
}

}  // namespace

// "drain": whether a run that disrupted the node still owes it its after_disruption. `drained`,
// running: true if a file of fabric on the node says so (provider/disruption_hooks.hpp). Only the
// document's own command ends it; the content of the file is never run.
Provider drain_provider() {
  return {
      .kind = kinds::kDrain,
      .probes = probes_of_drain,
      .observe = observe_drain,
      .disruption = always(Disruption::none),
      .work = work_on_drain,
      .folders = {"/var/lib/fabric/"},
  };
}

}  // namespace fabric::providers
