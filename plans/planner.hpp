// SPDX-License-Identifier: Apache-2.0
// Changes to a plan: work from the providers, at most one reboot per node, edges, waves.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/model/rule.hpp"
#include "engine/model/spec.hpp"
#include "engine/platform/identity.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

struct UndoneRun;

struct PlanInputs {
  const FabricSpec& spec;
  const SourceMap& sources;
  const std::vector<Resource>& resources;  // orphans and all
  const discovery::Snapshot& snapshot;
  const Registry& registry;
  std::vector<InputFile> files;
  std::vector<Resource> orphans{};
  bool stage = false;  // see Plan::stage
  Bindings bindings{};
  std::vector<NodeName> limit{};  // see Plan::limit
  // Nodes outside of the limit that count as down, and the reason why each was not reached.
  std::map<NodeName, std::string> outside{};
  // The machine that fabric runs on, as far as it can read its own ids.
  platform::Identity own{};
  // The run to undo, by bringing back the state before it. Null: the document is planned.
  const UndoneRun* undone = nullptr;
  // How the hosts reach each other now.
  PathsNow paths{};
  // Null, or `snapshot` itself where the caller no longer needs it: before the actions are made,
  // the nodes' output and most observations in it are dropped to save memory.
  discovery::Snapshot* spent = nullptr;
};

RuleRows planner_rules();  // plan-cycle, paths-lost, redundancy-lost

// Pure (except for `spent`) and deterministic. Resources without a provider, impossible work, a
// cycle among resources (shown as a path of YAML lines) and missing identities are errors in
// `diagnostics`; a plan with errors has no actions. The warnings in `diagnostics` are copied into
// the plan.
Plan make_plan(const PlanInputs& inputs, Diagnostics& diagnostics);

}  // namespace fabric::plans
