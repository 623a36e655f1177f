// SPDX-License-Identifier: Apache-2.0
// Reads the files of a document, or of the document of a plan, and expands them to resources: the
// first half of every verb that reads nodes.
#pragma once

#include <string>
#include <vector>

#include "engine/cli/state/document.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/workflow/wanted.hpp"

namespace fabric::cli {

// An ErrorCode::invalid without a message: the diagnostics have been printed.
Error already_printed();

// Reads, checks and expands; prints the findings. Fails with ErrorCode::invalid if the document has
// errors (they have been printed) or `choice` names no node of it.
Result<workflow::Wanted> read_wanted(
    const Context& context,
    const std::vector<std::string>& files,
    const workflow::NodeChoice& choice);

// Reads the inputs of the plan. Fails with ErrorCode::stale if one of its files has changed since.
Result<workflow::Wanted> wanted_of(const Context& context, const plans::Plan& plan);

// The fabric before a run that took place here, by the document that the run kept. Fails with
// ErrorCode::not_found, or as wanted_of.
Result<workflow::Wanted> wanted_before(const Context& context, const std::string& run);

// workflow::want_cables by --wait-for-cables; "" = no person is asked. Fails with
// ErrorCode::invalid if `option` is no duration, or if `wanted` is to be staged: without activation
// no cable gets a carrier.
Result<void> want_cables(workflow::Wanted& wanted, const std::string& option);

}  // namespace fabric::cli
