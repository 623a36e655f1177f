// SPDX-License-Identifier: Apache-2.0
// Listener: the receiver of a workflow's events. A terminal, a stream of events, a log and the
// monitor of a rehearsal are listeners of the same workflow.
#pragma once

#include <string_view>
#include <vector>

#include "engine/execute/action/observer.hpp"
#include "engine/platform/facts.hpp"

namespace fabric::execute {
struct RunResult;
}
namespace fabric::verify {
struct Report;
}

namespace fabric::workflow {

struct Planned;

class Listener : public execute::ExecutionObserver {
 public:
  virtual void discover_started(std::size_t /*nodes*/) {}
  virtual void discover_node(const NodeFacts& /*facts*/) {}
  // A node that was read already has looked at its subnet too; these are its facts now.
  virtual void node_looked(const NodeFacts& /*facts*/) {}
  // Called every few seconds: the nodes that have not answered yet, slowest first.
  virtual void discover_waiting(const std::vector<NodeName>& /*nodes*/) {}
  virtual void discover_ended() {}
  // Time passed; a display that shows elapsed time may redraw itself.
  virtual void tick() {}
  // The purpose of commands that belong to no action, from now on: "discovering", "locking".
  virtual void phase(std::string_view /*what*/) {}
  // A message on the way.
  virtual void note(std::string_view /*text*/) {}
  // A failure that did not end the workflow.
  virtual void problem(std::string_view /*text*/) {}
  // A plan was executed, as far as it went.
  virtual void executed(const plans::Plan& /*plan*/, const execute::RunResult& /*result*/) {}
  // The plan is done, and another round follows (Plan::next_round).
  virtual void round_done(const plans::Plan& /*plan*/) {}
  // The plan that was made to prove the first one done, before it is judged.
  virtual void planned_again(const Planned& /*second*/) {}
  virtual void verified(const verify::Report& /*report*/) {}
  // The second plan has changes or errors, though it should have none.
  virtual void not_proven(const Planned& /*second*/) {}
};

}  // namespace fabric::workflow
