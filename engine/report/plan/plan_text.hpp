// SPDX-License-Identifier: Apache-2.0
// A plan for people: the changes with the lines that ask for them, the order of work with its
// reasons, interruptions, rollbacks, and a summary line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/execute/journal/estimate.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/report/terminal/text.hpp"
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

// The findings in a plan, as diagnostics.
// Their places are added to `sources`: a plan file has lines and columns, and its document may have
// changed.
Diagnostics plan_findings(const plans::Plan& plan, SourceMap& sources);

// Text about the paths that a plan interrupts for hosts that it does not touch.
// Consecutive waves with equal losses are one line; empty if nothing is lost.
std::vector<Text> lost_paths_lines(const plans::Plan& plan);

// Changes that a plan shows and does not make, each with its reason.
// "n05 is withheld: interface/hca.1 waits for n01/subnet_manager/hca.1, and n01 was not reached".
// One line for all nodes with an equal reason; without those that a finding reports
// (plans::PlanNode::withheld).
std::vector<std::string> withheld_lines(const plans::Plan& plan);

}  // namespace fabric::report
