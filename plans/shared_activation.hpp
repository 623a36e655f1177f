// SPDX-License-Identifier: Apache-2.0
// Shared activation: what brings into force, once for its node, what several resources have set
// there, as one revision of a switch does.
#pragma once

#include <map>
#include <vector>

#include "plans/hooks.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

// Joins the actions of one node and wave whose drafts name the same activation
// (ActionDraft::activation) into as few as their order allows, and renumbers the edges. Two actions
// for one resource stay apart: its provider wants the first in force before the second. Each of
// those actions, joined or not, is titled by its activation: "in one revision: ...".
// `needs` and `after` are without a cycle, before and after. `closes`: see HookGraph.
void share_activations(
    std::vector<Action>& actions, Edges& needs, Edges& after, std::map<Vertex, Vertex>& closes);

}  // namespace fabric::plans
