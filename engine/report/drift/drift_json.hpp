// SPDX-License-Identifier: Apache-2.0
// Drift for programs: one document (schemas/drift.schema.json), or events.
#pragma once

#include <string>

#include "engine/report/run/progress_json.hpp"
#include "engine/workflow/drift.hpp"

namespace fabric::report {

// `plan`: the plan that the drift was found with.
std::string drift_json(const plans::Plan& plan, const workflow::Drift& drift);

// Emits `drift` for each difference, then `drift_summary`.
void emit_drift(const JsonEvents& events, const plans::Plan& plan, const workflow::Drift& drift);

}  // namespace fabric::report
