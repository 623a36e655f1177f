// SPDX-License-Identifier: Apache-2.0
// Refusal: settings of the document that no provider makes, by their keys.
#pragma once

#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/rule.hpp"
#include "engine/provider/registry.hpp"
#include "plans/changes/candidate.hpp"

namespace fabric::plans {

// Settings that no provider makes, at each place that asks for one: an error `key-not-on-platform`
// for each node, in the words of the table of keys. It needs no facts, so that `validate` says it.
// Settings that are only observed or checked are never refused.
void refuse_missing(
    const std::vector<Resource>& resources, const Registry& registry, Diagnostics& diagnostics);

struct CapabilityInputs {
  const discovery::Snapshot& snapshot;
  const Registry& registry;
};

// Compares the work of planned changes with the capabilities of the platform of its node
// (engine/platform/capabilities): an error `capability-missing`; a warning `no-rollback-timer` for
// a change that may cut the node off where no rollback timer holds it, and `apply` then needs a
// permission; a warning `no-node-lock` for each platform on whose nodes the plan works and nothing
// keeps two runs apart; an error `save-withheld` where a save would keep lines that another login
// has typed.
RuleRows capability_rules();
// The nodes that may be cut off without a rollback, sorted.
std::vector<std::string> refuse_incapable(
    Candidates& candidates, const CapabilityInputs& inputs, Diagnostics& diagnostics);

}  // namespace fabric::plans
