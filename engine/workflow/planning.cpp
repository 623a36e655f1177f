#include "engine/workflow/planning.hpp"

#include "engine/workflow/discovering.hpp"
#include "engine/workflow/fact_rules.hpp"
#include "plans/planner.hpp"

namespace fabric::workflow {

Planned make_plan(
    const Desired& desired, std::vector<NodeFacts> facts, const BindFiles& bind_files) {
  Planned planned;
  Diagnostics diagnostics = desired.diagnostics;
  PreparedResources prepared = prepare_resources(desired, facts, bind_files, diagnostics);
  planned.snapshot =
      discovery::observe(prepared.resources, std::move(facts), desired.registry, diagnostics);
  judge_facts(desired.spec, planned.snapshot, diagnostics);
  planned.plan = plans::make_plan(
      {desired.spec,
       desired.sources,
       prepared.resources,
       planned.snapshot,
       desired.registry,
       desired.inputs,
       std::move(prepared.orphans),
       desired.stage,
       std::move(prepared.found_out),
       desired.allow_no_rollback},
      diagnostics);
  diagnostics.sort();
  planned.valid = !diagnostics.has_errors();
  planned.diagnostics = std::move(diagnostics);
  return planned;
}

ExitCode exit_code_of(const Planned& planned) {
  if (!planned.valid) return ExitCode::invalid;
  return complete(planned.snapshot) ? ExitCode::done : ExitCode::unreachable;
}

}  // namespace fabric::workflow
