// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/input/plan_now.hpp"

#include "engine/cli/input/facts_io.hpp"
#include "engine/cli/session/connect.hpp"
#include "engine/cli/state/images.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/terminal/diagnostics.hpp"

namespace fabric::cli {

Result<workflow::Planned> plan_now(
    Context& context, const workflow::Wanted& wanted, remote::StepRunner* runner, Random& random) {
  workflow::Planned planned = workflow::make_plan(
      wanted.desired(),
      FABRIC_TRY(read_facts(context, wanted, runner, random)),
      images_of({wanted.document->folder, context.options().trust_document}));
  print_errors(context, wanted.document->sources, planned.diagnostics);
  return planned;
}

Result<workflow::Planned> plan_now(Context& context, const workflow::Wanted& wanted) {
  Random random = fresh_random(context.clock());
  std::unique_ptr<remote::StepRunner> runner;
  if (context.options().facts.empty())
    runner = FABRIC_TRY(connect(context, *wanted.document, ssh::SessionLife::one_step));
  return plan_now(context, wanted, runner.get(), random);
}

}  // namespace fabric::cli
