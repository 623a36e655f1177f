// SPDX-License-Identifier: Apache-2.0
// Graphviz: the cables between nodes, and the waits between actions.
#pragma once

#include <string>

#include "engine/model/spec.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// Also with errors: ends that name no node of the document are drawn dashed and red.
std::string topology_dot(const FabricSpec& spec);

// Actions in clusters by wave. Solid: the action must have succeeded; dashed: only the order.
std::string plan_dot(const plans::Plan& plan);

// A word of the DOT language, quoted.
std::string dot_quote(std::string_view text);

}  // namespace fabric::report
