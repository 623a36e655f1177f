#include "engine/cli/planning.hpp"

#include "engine/cli/connect.hpp"
#include "engine/cli/diagnostics.hpp"
#include "plans/planner.hpp"

namespace fabric::cli {

namespace {

// The errors alone: the warnings are in the plan and would be shown twice.
Diagnostics errors_of(const Diagnostics& diagnostics) {
  Diagnostics errors;
  for (const Diagnostic& item : diagnostics.items()) {
    if (item.severity == Severity::error) errors.add(item);
  }
  return errors;
}

}  // namespace

Planned make_plan_from(const Context& context, const Wanted& wanted, std::vector<NodeFacts> facts) {
  Planned planned;
  Diagnostics diagnostics = wanted.diagnostics;
  planned.snapshot =
      discovery::observe(wanted.resources, std::move(facts), wanted.registry, diagnostics);
  const Document& document = *wanted.document;
  planned.plan = plans::make_plan(
      {document.spec(),
       document.sources,
       wanted.resources,
       planned.snapshot,
       wanted.registry,
       document.inputs},
      diagnostics);
  diagnostics.sort();
  planned.valid = !diagnostics.has_errors();
  print(context, document.sources, errors_of(diagnostics));
  return planned;
}

Result<Planned> plan_now(Context& context, const Wanted& wanted) {
  Random random = fresh_random(context.clock());
  std::unique_ptr<remote::StepRunner> runner;
  if (context.options().facts.empty())
    runner = FABRIC_TRY(connect(context, wanted.document->spec()));
  std::vector<NodeFacts> facts = FABRIC_TRY(read_facts(context, wanted, runner.get(), random));
  return make_plan_from(context, wanted, std::move(facts));
}

ExitCode exit_code_of(const Planned& planned) {
  if (!planned.valid) return ExitCode::invalid;
  return complete(planned.snapshot) ? ExitCode::done : ExitCode::unreachable;
}

}  // namespace fabric::cli
