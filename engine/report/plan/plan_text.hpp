// SPDX-License-Identifier: Apache-2.0
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
Text plan_text(
    const plans::Plan& plan,
    const Style& style,
    const std::optional<execute::Estimate>& time = std::nullopt);

// The part of it that tells what is done in which order, what it interrupts, and what can be rolled
// back. REQUIRES: the plan has actions.
Text order_and_impact(
    const plans::Plan& plan,
    const Style& style,
    const std::optional<execute::Estimate>& time = std::nullopt);

// How its text begins: "pve-ring: 4 nodes, all reached", and what its findings are shown as.
Text plan_header(const plans::Plan& plan, const Style& style);
Text plan_findings_text(const plans::Plan& plan, const Style& style);

// The last line alone: "Plan: 0 to add, 20 to change, 0 to remove; 4 reboots in 4 waves."
std::string plan_summary(const plans::Plan& plan);
// The same, or why there is nothing to sum up.
std::string plan_verdict(const plans::Plan& plan);

}  // namespace fabric::report
