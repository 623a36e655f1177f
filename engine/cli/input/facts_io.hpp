// SPDX-License-Identifier: Apache-2.0
// Facts of nodes: read from the nodes, or from saved files.
#pragma once

#include <string>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/remote/runner.hpp"
#include "engine/workflow/wanted.hpp"

namespace fabric::cli {

// Reads the nodes by `runner`, or reads the files of --facts (then `runner` may be null).
Result<std::vector<NodeFacts>> read_facts(
    Context& context, const workflow::Wanted& wanted, remote::StepRunner* runner, Random& random);
// As read_facts(), and saves the facts of each node as it answers: if the program is ended early,
// the answers until then are saved. Fails as save_facts().
Result<std::vector<NodeFacts>> read_and_save_facts(
    Context& context,
    const workflow::Wanted& wanted,
    remote::StepRunner* runner,
    Random& random,
    const std::string& folder);

// Writes one file per node: NAME.json. Fails as files::FileSet.
Result<void> save_facts(const std::string& folder, const std::vector<NodeFacts>& facts);
// A node without a file counts as not reached.
Result<std::vector<NodeFacts>> saved_facts(
    const std::string& folder, const std::vector<NodeName>& nodes);

}  // namespace fabric::cli
