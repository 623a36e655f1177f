// SPDX-License-Identifier: Apache-2.0
// Reads the journal of a run, also of one that was killed while it wrote.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/execute/action/observer.hpp"
#include "plans/plan.hpp"

namespace fabric::execute {

struct RecordedAction {
  std::string id, node, kind, title;
  bool ended = false;  // false: begun, with unknown result
  ActionState state = ActionState::unknown;
  std::string detail, cause;
  std::string output;  // for a hook: its output
  Duration took{0};
  // True if some step of the action may have been sent.
  bool was_begun() const {
    return !ended || (state != ActionState::skipped && state != ActionState::not_started &&
                      state != ActionState::already_satisfied);
  }
  // How long the action has said "not yet"; nullopt once it has ended.
  std::optional<Duration> put_off{};
};

struct RunRecord {
  std::string run, fabric, plan;        // plan: the digest of the plan file
  std::string undoes;                   // the run that this one undoes; "" = none
  std::string started, ended;           // "2026-11-20T10:12:27.123Z"; `ended` "" = it was cut short
  std::uint64_t planned = 0;            // actions of the plan
  std::vector<RecordedAction> actions;  // in the order of their first event
  std::uint64_t count(ActionState state) const;
  // True if every action ended well.
  bool is_complete() const;
};

// Fails with ErrorCode::invalid, naming the line. A last line without its end is left by a crash
// and is not read. A journal without any line belongs to a run that began nothing.
Result<RunRecord> read_journal(std::string_view text);

// The content of a run's journal, for the run that resumes it.
struct FormerRun {
  std::string run{};  // "" = no run is resumed
  // Nodes with hooks on which everything is done: they are not drained once more. Read from the
  // journal alone, until confirm() has looked at the nodes.
  std::set<NodeName> done{};
  // The nodes that record that all of the plan was done there, the hooks included. On the others,
  // the hook that ends a disruption runs again: no reading shows that a node was given back.
  std::set<NodeName> known{};
  // Nodes whose hook has said "not yet", for how long: they go behind the others.
  std::map<NodeName, Duration> put_off{};
};

// Keeps only what the nodes confirm, for a journal is only a file: all readable values of the plan
// are `in_force` there; `known`: the nodes that record the plan as done.
void confirm(
    FormerRun& former, const std::set<NodeName>& in_force, const std::set<NodeName>& known);

// `plan`: the plan that the run carried out.
FormerRun former_run(const RunRecord& record, const plans::Plan& plan);

}  // namespace fabric::execute
