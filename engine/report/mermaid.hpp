// SPDX-License-Identifier: Apache-2.0
// Mermaid, which GitHub and GitLab draw in a comment: what is cabled to what, and what waits for
// what.
#pragma once

#include <string>

#include "engine/model/spec.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// Also of a document with errors: ends that name no node of the document are dashed and red.
std::string topology_mermaid(const FabricSpec& spec);

// Actions, clustered by wave; solid arrows must have succeeded, dotted ones only order.
std::string plan_mermaid(const plans::Plan& plan);

}  // namespace fabric::report
