// SPDX-License-Identifier: Apache-2.0
// The resources of a document: the start of every workflow.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/platform/identity.hpp"
#include "engine/provider/registry.hpp"
#include "engine/workflow/document.hpp"
#include "plans/undo.hpp"

namespace fabric::workflow {

// The input of every step of a workflow: references into a document that was read (Wanted), or into
// the copies of a rehearsal. All of them must outlive it.
struct Desired {
  const FabricSpec& spec;
  const SourceMap& sources;
  const Registry& registry;
  const std::vector<NodeName>& nodes;      // nodes that are asked and may be changed
  const std::vector<Resource>& resources;  // orphans left out
  const std::vector<plans::InputFile>& inputs;
  const Diagnostics& diagnostics;  // from expanding
  bool stage = false;              // plans::Plan::stage
  std::vector<NodeName> limit{};   // plans::Plan::limit
  // Nodes outside of the limit: those that the guards of nodes within need, and those that are
  // drained. They are asked for their identity and whether they are drained, and nothing else; a
  // node that does not answer counts as down.
  std::vector<NodeName> outside{};
  platform::Identity own{};  // the machine that fabric runs on
  // The run whose former state is wanted, in place of the document's; null: none.
  const plans::UndoneRun* undone = nullptr;
  // The nodes' output and the observations are read after the plan is made, too;
  // plans::PlanInputs::spent.
  bool outputs_stay = true;
};

// The document with everything that follows from it. Not copied, because resources and sources
// point into it.
struct Wanted {
  std::unique_ptr<Document> document;
  Registry registry;
  std::vector<NodeName> nodes;      // nodes that are asked, within the limit
  std::vector<Resource> resources;  // of those nodes, and drains of hosts behind their switches
  bool stage = false;               // plans::Plan::stage
  std::vector<NodeName> limit{};    // Desired::limit
  std::vector<NodeName> outside{};  // Desired::outside
  platform::Identity own{};         // Desired::own
  bool outputs_stay = true;         // Desired::outputs_stay
  std::shared_ptr<const plans::UndoneRun> undone{};  // Desired::undone
  Diagnostics diagnostics;  // from expanding; findings of the document itself are in the document

  Desired desired() const;
};

// The chosen nodes of a document. Lists of node sets.
struct NodeChoice {
  std::string limit{};    // nodes that may be changed; "" = all
  std::string offline{};  // known to be down, besides those of the document; "" = none
  // `offline` from a caller that may know other nodes too: unknown ones are skipped.
  std::set<std::string> down{};
};

// Expands a document without errors. Fails with ErrorCode::invalid if a choice names a node that
// the document lacks.
Result<Wanted> want(std::unique_ptr<Document> given, const NodeChoice& choice);

// Adds findings to a document without errors: what `plan` would refuse whatever the nodes answer,
// and what it would leave to a person.
void judge_platforms(Document& document);

// The resources of the nodes in `limit`, sorted, and the drains of hosts outside of it that work on
// their switches within needs: a limit names the nodes that are changed, not those whose work is
// moved away before.
std::vector<Resource> resources_within(
    const FabricSpec& spec, const std::vector<NodeName>& limit, std::vector<Resource> resources);

// The reached nodes outside of `nodes` that have one of the resources, or share a guard with one of
// them: in a failure domain, in a ring or as managers of a subnet. Sorted.
std::vector<NodeName> nodes_outside(
    const FabricSpec& spec,
    const std::vector<NodeName>& nodes,
    const std::vector<Resource>& resources);

// The permissions of an apply.
struct Allowed {
  bool management_path = false;      // --allow-mgmt-path
  std::set<NodeName> no_rollback{};  // --allow-no-rollback
  bool document_counts = false;      // Permission::granted: signed, or a person says yes
};

// Fails with ErrorCode::invalid, naming the nodes that the plan needs a permission for and that
// have none.
Result<void> check_permissions(const plans::Plan& plan, const Allowed& allowed);

// Wants a person's work too: the missing cables, each of which is waited for this long.
void want_cables(Wanted& wanted, Duration wait);

// The nodes of a set of `option`, as "--limit"; fails with ErrorCode::invalid, naming the node that
// the document does not have.
Result<std::set<NodeName>> chosen_nodes(
    const FabricSpec& spec, std::string_view option, const std::string& set);

// Checks that the document is still the one that the plan was made from. Fails with
// ErrorCode::stale, naming the first file that differs. REQUIRES: `document` was read from the
// files of `inputs`.
Result<void> check_inputs(const std::vector<plans::InputFile>& inputs, const Document& document);

// Wants the same as a plan that was made before: with its own --stage and --wait-for-cables.
void want_as_planned(Wanted& wanted, const plans::Plan& plan);

}  // namespace fabric::workflow
