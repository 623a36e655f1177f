// SPDX-License-Identifier: Apache-2.0
// Cleans up after dead runs on the nodes, before any other work: rollback timers that would roll
// back the present state, and locks without a holder.
#pragma once

#include <map>
#include <vector>

#include "engine/execute/guard/orphaned_guards.hpp"
#include "engine/execute/lease/leases.hpp"

namespace fabric::execute {

// REQUIRES: `leases` of the nodes are held. Returns the timers that were disarmed; fails as the
// first node that did not answer, for its timer may be armed, and as confirm_guards().
Result<std::vector<OrphanGuard>> settle_locked(
    const platform::NodePlatforms& nodes, Leases& leases, Random& random);

struct Settled {
  std::vector<OrphanGuard> disarmed;
  std::vector<NodeName> unlocked;       // their lock was that of an ended run
  std::vector<NodeName> still_locked;   // their lock of this run could not be given up
  std::map<NodeName, Error> not_asked;  // whether they have timers or locks is unknown
};

// Settles nodes without any other work: those with timers or locks are locked for it.
Result<Settled> settle_idle(
    const platform::NodePlatforms& nodes,
    const LeaseTerms& terms,
    remote::StepRunner& runner,
    Random& random);

}  // namespace fabric::execute
