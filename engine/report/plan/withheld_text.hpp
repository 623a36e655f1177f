// SPDX-License-Identifier: Apache-2.0
// Changes that a plan shows and does not make, each with its reason.
#pragma once

#include <string>
#include <vector>

#include "plans/plan.hpp"

namespace fabric::report {

// "n05 is withheld: interface/hca.1 waits for n01/subnet_manager/hca.1, and n01 was not reached".
// One line for all nodes with an equal reason; without those that a finding reports
// (plans::PlanNode::withheld).
std::vector<std::string> withheld_lines(const plans::Plan& plan);

}  // namespace fabric::report
