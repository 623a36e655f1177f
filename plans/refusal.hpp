// SPDX-License-Identifier: Apache-2.0
// Refusal: what the document asks for and no provider does, by the names of its author.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/rule.hpp"
#include "engine/provider/registry.hpp"
#include "plans/changes/candidate.hpp"

namespace fabric::plans {

// An error `not-supported-yet` at each place that asks for it, once, however many nodes it is for.
// What is only observed or only checked is never refused.
void refuse_missing(
    const std::vector<Resource>& resources, const Registry& registry, Diagnostics& diagnostics);

struct CapabilityInputs {
  const discovery::Snapshot& snapshot;
  const Registry& registry;
};

// What the work of planned changes needs of its node and the platform has not
// (engine/platform/capabilities): an error `capability-missing`; for a change that may cut the node
// off where no rollback timer holds it a warning `no-rollback-timer`: nothing is armed there, and
// `apply` must be allowed it. A warning `no-node-lock` for
// each platform on whose nodes something is done and nothing keeps two runs apart. An error
// `save-withheld` where a save would keep what somebody else has typed.
RuleRows capability_rules();
// The nodes that may be cut off without a rollback, in order.
std::vector<std::string> refuse_incapable(
    Candidates& candidates, const CapabilityInputs& inputs, Diagnostics& diagnostics);

}  // namespace fabric::plans
