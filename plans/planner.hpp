// Changes to a plan: work from the providers, at most one reboot per node, edges, waves.
#pragma once

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/model/rule.hpp"
#include "engine/model/spec.hpp"
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
};

RuleRows planner_rules();  // node-unreachable, plan-cycle, identity-missing

// Pure and deterministic. What no provider does, impossible work, a cycle among resources (shown as
// a path of YAML lines) and missing identities go to `diagnostics`; with errors the plan has no
// actions. The warnings in `diagnostics` are copied into the plan.
Plan make_plan(const PlanInputs& inputs, Diagnostics& diagnostics);

}  // namespace fabric::plans
