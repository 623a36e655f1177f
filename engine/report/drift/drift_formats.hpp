// SPDX-License-Identifier: Apache-2.0
// Drift for people and for programs.
#pragma once

#include <string>

#include "engine/report/run/progress_json.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/workflow/drift.hpp"

namespace fabric::report {

// Drift for programs: one document (schemas/drift.schema.json), or events.
// `plan`: the plan that the drift was found with.
std::string drift_json(const plans::Plan& plan, const workflow::Drift& drift);

// Emits `drift` for each difference, then `drift_summary`.
void emit_drift(const JsonEvents& events, const plans::Plan& plan, const workflow::Drift& drift);

// Drift for people: differences grouped by cause, equal differences of several nodes once.
// `plan`: the plan that the drift was found with.
Text drift_text(const plans::Plan& plan, const workflow::Drift& drift, const Style& style);

// Only the last line: "Drift: 2 changed outside of fabric, 1 of unknown origin.", "No drift: ...".
std::string drift_summary(const plans::Plan& plan, const workflow::Drift& drift);

// A comment for a pull request or an issue, of at most `most` bytes.
std::string drift_markdown(const plans::Plan& plan, const workflow::Drift& drift, std::size_t most);

}  // namespace fabric::report
