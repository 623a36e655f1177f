// SPDX-License-Identifier: Apache-2.0
// Refusal: settings of the document that no provider makes.
#pragma once

#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/rule.hpp"
#include "engine/provider/registry.hpp"
#include "plans/changes/candidate.hpp"

namespace fabric::plans {

// Reports an error `key-not-on-platform`, in the words of the table of keys, for each node and
// place in the document with a setting that no provider makes. Needs no facts, so `validate`
// reports it too. Settings that are only observed or checked are never refused.
void refuse_missing(
    const std::vector<Resource>& resources, const Registry& registry, Diagnostics& diagnostics);

struct CapabilityInputs {
  const discovery::Snapshot& snapshot;
  const Registry& registry;
};

// Compares the work of planned changes with the capabilities of its node's platform
// (engine/platform/capabilities). Reports an error `capability-missing`; a warning
// `no-rollback-timer` for a change that may cut the node off without a rollback timer, and `apply`
// then needs a permission; a warning `no-node-lock` for each platform on whose nodes nothing keeps
// two runs apart; an error `save-withheld` where a save would keep lines that another login typed.
RuleRows capability_rules();
// The nodes that may be cut off without a rollback, sorted.
std::vector<std::string> refuse_incapable(
    Candidates& candidates, const CapabilityInputs& inputs, Diagnostics& diagnostics);

}  // namespace fabric::plans
