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
  // Nodes that a change may cut off though nothing on them rolls it back.
  const std::set<NodeName>& allow_no_rollback;
};

// What the work of planned changes needs of its node and the platform has not
// (engine/platform/capabilities): an error `capability-missing`; for a change that may cut the node
// off where no rollback timer holds it `no-rollback-timer`, a warning on the nodes that are
// allowed. There the work may no longer cut off: nothing is armed. A warning `no-node-lock` for
// each platform on whose nodes something is done and nothing keeps two runs apart. An error
// `save-withheld` where a save would keep what somebody else has typed.
RuleRows capability_rules();
// The nodes that are allowed and may be cut off, in order.
std::vector<std::string> refuse_incapable(
    Candidates& candidates, const CapabilityInputs& inputs, Diagnostics& diagnostics);

}  // namespace fabric::plans
