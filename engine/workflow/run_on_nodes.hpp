// SPDX-License-Identifier: Apache-2.0
// One step on each of many nodes.
#pragma once

#include <map>
#include <string_view>

#include "engine/remote/runner.hpp"
#include "engine/workflow/listener.hpp"

namespace fabric::workflow {

// Runs on all nodes at the same time; `doing` is the progress message while it takes long: "pinging
// from".
std::map<NodeName, remote::StepResult> run_on_nodes(
    Listener& listener,
    const std::map<NodeName, remote::Step>& steps,
    remote::StepRunner& runner,
    std::string_view doing);

}  // namespace fabric::workflow
