// SPDX-License-Identifier: Apache-2.0
// What dead runs have left on the nodes, cleaned up before any other work: rollback timers that
// would roll back the present state, and locks without a holder.
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
  std::vector<NodeName> unlocked;       // had the lock of a run that has ended
  std::vector<NodeName> still_locked;   // by us: it could not be given up
  std::map<NodeName, Error> not_asked;  // whether they have any of it is not known
};

// Of nodes that nothing else is to be done on: those that have something are locked for it.
Result<Settled> settle_idle(
    const platform::NodePlatforms& nodes,
    const LeaseTerms& terms,
    remote::StepRunner& runner,
    Random& random);

}  // namespace fabric::execute
