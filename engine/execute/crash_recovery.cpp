// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/crash_recovery.hpp"

#include <set>

#include "engine/execute/lease/read_leases.hpp"

namespace fabric::execute {

namespace {

// The nodes whose lock belongs to a run that is known to have ended. An unreadable lock is left
// alone.
std::vector<NodeName> orphaned(
    const platform::NodePlatforms& nodes,
    const LeaseTerms& terms,
    remote::StepRunner& runner,
    Random& random) {
  std::vector<NodeName> found;
  for (const auto& [node, lease] : read_leases(nodes, runner, random)) {
    if (lease && *lease && terms.has_ended && terms.has_ended((*lease)->holder))
      found.push_back(node);
  }
  return found;
}

}  // namespace

Result<std::vector<OrphanGuard>> settle_locked(
    const platform::NodePlatforms& nodes, Leases& leases, Random& random) {
  remote::StepRunner& runner = leases.fenced();
  FoundGuards found = find_guards(nodes, runner, random);
  if (!found.not_asked.empty()) {
    const auto& [node, error] = *found.not_asked.begin();
    return with_context(error, node.str());
  }
  FABRIC_TRY(confirm_guards(found.guards, nodes, runner, random));
  return std::move(found.guards);
}

Result<Settled> settle_idle(
    const platform::NodePlatforms& nodes,
    const LeaseTerms& terms,
    remote::StepRunner& runner,
    Random& random) {
  Settled settled;
  remote::LimitedRunner limited{runner, terms.patience};
  FoundGuards found = find_guards(nodes, limited, random);
  settled.not_asked = std::move(found.not_asked);
  settled.unlocked = orphaned(nodes, terms, limited, random);
  std::set<NodeName> touched{settled.unlocked.begin(), settled.unlocked.end()};
  for (const OrphanGuard& guard : found.guards)
    touched.insert(guard.node);
  if (touched.empty()) return settled;
  platform::NodePlatforms locked;
  for (const NodeName& node : touched)
    locked.emplace(node, nodes.at(node));
  Leases leases{terms, locked, runner, random};
  FABRIC_TRY(leases.take());
  Result<std::vector<OrphanGuard>> disarmed = settle_locked(locked, leases, random);
  settled.still_locked = leases.release();
  settled.disarmed = FABRIC_TRY(std::move(disarmed));
  return settled;
}

}  // namespace fabric::execute
