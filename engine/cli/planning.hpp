// From the document and the facts to a plan.
#pragma once

#include "engine/cli/exit_code.hpp"
#include "engine/cli/reality.hpp"
#include "plans/plan.hpp"

namespace fabric::cli {

struct Planned {
  discovery::Snapshot snapshot;
  plans::Plan plan;
  Diagnostics diagnostics;
  bool valid = true;  // false: there are errors (printed), the plan has no actions
};

// Prints the errors; warnings stand in the plan.
Planned make_plan_from(const Context& context, const Wanted& wanted, std::vector<NodeFacts> facts);

// All of it: connects (or takes --facts), discovers and plans.
Result<Planned> plan_now(Context& context, const Wanted& wanted);

// 3 with errors, 4 if a node was not reached, else 0.
ExitCode exit_code_of(const Planned& planned);

}  // namespace fabric::cli
