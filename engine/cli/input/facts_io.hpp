// SPDX-License-Identifier: Apache-2.0
// Facts of nodes: asked for, or as files.
#pragma once

#include <string>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/remote/runner.hpp"
#include "engine/workflow/wanted.hpp"

namespace fabric::cli {

// Facts of the nodes, from the runner, or from --facts (then `runner` may be null).
Result<std::vector<NodeFacts>> read_facts(
    Context& context, const workflow::Wanted& wanted, remote::StepRunner* runner, Random& random);
// The same, with the facts of each node saved as it answers: if the program is ended early, the
// answers until then are there. Fails as save_facts().
Result<std::vector<NodeFacts>> read_and_save_facts(
    Context& context,
    const workflow::Wanted& wanted,
    remote::StepRunner* runner,
    Random& random,
    const std::string& folder);

// One file per node: NAME.json. Fails as files::FileSet.
Result<void> save_facts(const std::string& folder, const std::vector<NodeFacts>& facts);
// A node without a file is one that was not reached.
Result<std::vector<NodeFacts>> saved_facts(
    const std::string& folder, const std::vector<NodeName>& nodes);

}  // namespace fabric::cli
