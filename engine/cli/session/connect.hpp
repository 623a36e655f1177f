// From the document's ssh keys to sessions.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/cli/terminal/context.hpp"
#include "engine/model/spec.hpp"
#include "engine/remote/runner.hpp"
#include "engine/ssh/config/target.hpp"

namespace fabric::cli {

// How each node is reached according to the document: user, port, key, password, jumps, sudo.
// Fails with ErrorCode::invalid for a `via` that names itself in a circle.
Result<std::map<NodeName, ssh::Target>> ssh_targets(const FabricSpec& spec);

// Sessions to the nodes, or with --lab to their simulated counterparts. Connects to nobody yet.
// Fails with ErrorCode::not_found if --lab is given and no lab runs, or lacks one of the nodes.
Result<std::unique_ptr<remote::StepRunner>> connect(const Context& context, const FabricSpec& spec);

}  // namespace fabric::cli
