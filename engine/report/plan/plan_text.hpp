// A plan as a person reads it: what changes and which line asks for it, in which order and why,
// what it interrupts, what can be rolled back, and one line that sums it up.
#pragma once

#include <optional>
#include <string>

#include "engine/execute/journal/estimate.hpp"
#include "engine/report/terminal/style.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// Nodes that change in the same way, and waves that do the same, are shown once; with
// Style::verbose each is. With `time`, how long it may take.
std::string plan_text(
    const plans::Plan& plan,
    const Style& style,
    const std::optional<execute::Estimate>& time = std::nullopt);

// The last line alone: "Plan: 0 to add, 20 to change, 0 to remove; 4 reboots in 4 waves.", of a
// plan without its actions (--refresh-only) "Differences: ...; nothing is planned."
std::string plan_summary(const plans::Plan& plan);

}  // namespace fabric::report
