// RunReporter: what a run shows while it goes on. One implementation writes for people, one writes
// events; both hear of discovery and of the executor's actions.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "engine/execute/action/observer.hpp"
#include "engine/provider/facts.hpp"

namespace fabric::report {

// Where text goes. Called with whole lines, or with pieces that redraw a terminal.
using Sink = std::function<void(std::string_view)>;

class RunReporter : public execute::ExecutionObserver {
 public:
  virtual void discover_started(std::size_t /*nodes*/) {}
  virtual void discover_node(const NodeFacts& /*facts*/) {}
  // Every few seconds: those that have not answered yet, slowest first.
  virtual void discover_waiting(const std::vector<NodeName>& /*nodes*/) {}
  virtual void discover_ended() {}
  // Time passed; a display that shows elapsed time may redraw itself.
  virtual void tick() {}
};

}  // namespace fabric::report
