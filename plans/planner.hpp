// SPDX-License-Identifier: Apache-2.0
// Changes to a plan: work from the providers, at most one reboot per node, edges, waves.
#pragma once

#include <map>
#include <set>
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
  // Nodes outside of the limit that count as down, and why they were not reached.
  std::map<NodeName, std::string> outside{};
  // The machine that fabric runs on, as far as it knows itself.
  platform::Identity own{};
  // How the hosts reach each other now.
  PathsNow paths{};
  // `snapshot` itself where nobody reads in it afterwards: what the nodes printed and most of what
  // was observed is dropped when no provider is asked any more, before the actions are made. Null:
  // all of it stays.
  discovery::Snapshot* spent = nullptr;
};

RuleRows planner_rules();  // plan-cycle, paths-lost

// Pure (but for `spent`) and deterministic. What no provider does, impossible work, a cycle among
// resources (shown as a path of YAML lines) and missing identities go to `diagnostics`; with errors
// the plan has no actions. The warnings in `diagnostics` are copied into the plan.
Plan make_plan(const PlanInputs& inputs, Diagnostics& diagnostics);

}  // namespace fabric::plans
