// What the document wants and what is there: the first half of every verb that looks at nodes.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/platform/registry.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::cli {

// An ErrorCode::invalid without words: the diagnostics have been printed.
Error already_printed();

// The document with what follows from it. Not copied: resources and sources point into it.
struct Wanted {
  std::unique_ptr<Document> document;
  Registry registry;
  std::vector<NodeName> nodes;      // those that are asked, within --limit
  std::vector<Resource> resources;  // of those nodes
  bool stage = false;               // plans::Plan::stage
  // plans::PlanInputs::allow_no_rollback
  std::set<NodeName> allow_no_rollback{};
  Diagnostics diagnostics;  // of expanding; the document's own have been printed
};

// Reads, checks and expands; prints what the document's author must know. `limit` is a list of node
// sets, "" = all. Fails with ErrorCode::invalid if the document has errors (they have been printed)
// or `limit` names no node of it.
Result<Wanted> read_wanted(
    const Context& context, const std::vector<std::string>& files, const std::string& limit);

// Also a person for the cables that are not there, each to be waited for this long.
void want_cables(Wanted& wanted, Duration wait);
// The same by --wait-for-cables; "" = nobody is asked. Fails with ErrorCode::invalid if it is no
// duration, or if `wanted` is to be staged: who activates nothing gets no carrier.
Result<void> want_cables(Wanted& wanted, const std::string& option);

// By --allow-no-rollback, a list of node sets, "" = none. Fails with ErrorCode::invalid if it names
// no node of the document.
Result<void> allow_no_rollback(Wanted& wanted, const std::string& option);

// Facts of the nodes, from the runner, or from --facts (then `runner` may be null).
Result<std::vector<NodeFacts>> read_facts(
    Context& context, const Wanted& wanted, remote::StepRunner* runner, Random& random);

// True if every node was reached.
bool complete(const discovery::Snapshot& snapshot);

// A seed of its own for every run.
Random fresh_random(const Clock& clock);

// One file per node: NAME.json. Fails as write_text_file and read_text_file.
Result<void> save_facts(const std::string& folder, const std::vector<NodeFacts>& facts);
// A node without a file is one that was not reached.
Result<std::vector<NodeFacts>> saved_facts(
    const std::string& folder, const std::vector<NodeName>& nodes);

}  // namespace fabric::cli
