// One command on each of many nodes.
#pragma once

#include <map>
#include <string_view>

#include "engine/cli/terminal/context.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::cli {

// All nodes at once; `doing` is what the user hears while it takes long: "pinging from".
std::map<NodeName, remote::StepResult> run_on_nodes(
    Context& context,
    const std::map<NodeName, remote::Command>& commands,
    remote::StepRunner& runner,
    std::string_view doing);

}  // namespace fabric::cli
