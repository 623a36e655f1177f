// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/disruption_hooks.hpp"
#include "providers/linux/kinds/kinds.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/linux/machine/linux_platform.hpp"

namespace fabric::providers {

namespace {

std::string record() {
  return drained_record(platform::linux_platform().state_folder());
}

constexpr std::string_view kProbe = "drained";

Reading reading_of(const NodeFacts& facts) {
  const std::string* output = facts.output(kProbe);
  const std::string_view said = output == nullptr ? std::string_view{} : trim(*output);
  if (said == "drained") return Reading::of(true);
  if (said == "not drained") return Reading::of(false);
  return Reading::unknown(fmt::format("it could not be checked whether {} exists", record()));
}

}  // namespace

std::vector<Probe> DrainProvider::probes() const {
  return {{std::string{kProbe}, std::string{sh::probe_drained.text}}};
}

std::vector<Observation> DrainProvider::observe(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) const {
  std::vector<Observation> observations;
  for (const Resource& resource : wanted) {
    LayeredReading reading;
    reading.running = reading_of(facts);
    observations.push_back({resource.address, {{std::string{kDrained}, std::move(reading)}}});
  }
  return observations;
}

Disruption DrainProvider::disruption(
    const NodeFacts& /*facts*/,
    const Resource& /*resource*/,
    std::string_view /*attribute*/) const {
  return Disruption::none;
}

Result<Work> DrainProvider::work(const Change& change, const WorkContext& /*context*/) const {
  Work work;
  if (change.attributes.empty()) return work;
  std::optional<ActionDraft> draft = after_disruption(change.resource, {record(), {}, {}});
  if (!draft) {
    // Its command has been taken out of the document: what it would have done is over.
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

}  // namespace fabric::providers
