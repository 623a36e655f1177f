// SPDX-License-Identifier: Apache-2.0
// Reboots: the nodes that must boot, because a running value differs from the value of the next
// boot after this plan, and one action per node that boots it.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/platform/host_platform.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

// Nodes with a planned change whose running value changes only by a boot.
std::set<NodeName> nodes_to_reboot(const Candidates& candidates);

// The boot that ActionDraft::boots_in asks for, after `draft`, which is work on `address`.
// REQUIRES: has boot proof.
Action boot_within(
    const ActionDraft& draft,
    const ResourceAddress& address,
    const platform::HostPlatform& host,
    const RolloutSpec& rollout);

// The reboot of a node; by hand where some change needs a power cycle. Preconditions: the values
// for the boot are armed. Postconditions: they are running. REQUIRES: `changes` are the planned
// changes of one node that must boot, and `host` its platform, which has a BootProof.
Action reboot_action(
    const NodeName& node,
    const std::vector<const Change*>& changes,
    const platform::HostPlatform& host,
    const RolloutSpec& rollout);

// For each node: its planned changes that need the boot.
using ChangesOfNode = std::map<NodeName, std::vector<const Change*>>;
std::vector<std::pair<NodeName, Action>> reboot_actions(
    const ChangesOfNode& changes, const Registry& registry, const RolloutSpec& rollout);

// The changes that the boot must have made, and the changes that must be rolled back with it.
void follow_boot(const Candidate& candidate, const RolloutSpec& rollout, Action& reboot);

}  // namespace fabric::plans
