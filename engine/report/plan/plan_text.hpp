// SPDX-License-Identifier: Apache-2.0
// A plan for people: the changes with the lines that ask for them, the order of work with its
// reasons, interruptions, rollbacks, and a summary line.
#pragma once

#include <optional>
#include <string>

#include "engine/execute/journal/estimate.hpp"
#include "engine/report/terminal/style.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// Nodes with equal changes, and waves with equal work, are shown once; with Style::verbose one by
// one. `time`: the estimate of how long the plan takes.
Text plan_text(
    const plans::Plan& plan,
    const Style& style,
    const std::optional<execute::Estimate>& time = std::nullopt);

// Only the order of work, the interruptions and the rollbacks. REQUIRES: the plan has actions.
Text order_and_impact(
    const plans::Plan& plan,
    const Style& style,
    const std::optional<execute::Estimate>& time = std::nullopt);

// The first line: "pve-ring: 4 nodes, all reached"; and the text of the plan's findings.
Text plan_header(const plans::Plan& plan, const Style& style);
Text plan_findings_text(const plans::Plan& plan, const Style& style);

// Only the last line: "Plan: 0 to add, 20 to change, 0 to remove; 4 reboots in 4 waves."
std::string plan_summary(const plans::Plan& plan);
// The summary, or why there is nothing to summarize.
std::string plan_verdict(const plans::Plan& plan);

}  // namespace fabric::report
