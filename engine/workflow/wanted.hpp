// What a document wants of its nodes: where every workflow begins.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/platform/registry.hpp"
#include "engine/workflow/document.hpp"

namespace fabric::workflow {

// By reference, as every step of a workflow takes it: of a document that was read (Wanted), or of
// the copies of a rehearsal. All that it refers to must outlive it.
struct Desired {
  const FabricSpec& spec;
  const SourceMap& sources;
  const Registry& registry;
  const std::vector<NodeName>& nodes;      // those that are asked
  const std::vector<Resource>& resources;  // orphans left out
  const std::vector<plans::InputFile>& inputs;
  const Diagnostics& diagnostics;  // of expanding
  bool stage = false;              // plans::Plan::stage
  // plans::PlanInputs::allow_no_rollback
  std::set<NodeName> allow_no_rollback{};
};

// The document with what follows from it. Not copied: resources and sources point into it.
struct Wanted {
  std::unique_ptr<Document> document;
  Registry registry;
  std::vector<NodeName> nodes;      // those that are asked, within --limit
  std::vector<Resource> resources;  // of those nodes
  bool stage = false;               // plans::Plan::stage
  std::set<NodeName> allow_no_rollback{};
  Diagnostics diagnostics;  // of expanding; the document's own are in the document

  Desired desired() const;
};

// Expands a document without errors. `limit` is a list of node sets, "" = all. Fails with
// ErrorCode::invalid if `limit` names a node that the document lacks.
Result<Wanted> want(std::unique_ptr<Document> document, const std::string& limit);

// Nodes that a change may cut off though nothing on them would roll it back: a list of node sets,
// "" = none. Fails with ErrorCode::invalid if it names a node that the document lacks.
Result<void> allow_no_rollback(Wanted& wanted, const std::string& list);

// Also a person for the cables that are not there, each to be waited for this long.
void want_cables(Wanted& wanted, Duration wait);

// The document must still be what the plan was made from. Fails with ErrorCode::stale naming the
// first file that is another. REQUIRES: `document` was read from the files of the plan.
Result<void> check_inputs(const plans::Plan& plan, const Document& document);

// Once more for a plan that was made before: with what the plan itself was told, by --stage and
// --wait-for-cables.
void want_as_planned(Wanted& wanted, const plans::Plan& plan);

}  // namespace fabric::workflow
