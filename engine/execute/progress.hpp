// Progress: which actions of a plan may start now. A pure state machine, O(log n) an event.
//
// An action may start when everything in `needs` has succeeded, everything in `after` has ended,
// its wave is the current one, its node runs nothing else, no holder has one of its mutexes, and
// fewer than the limit run. A wave is current when all actions of earlier waves have ended and
// their failures (nodes, not actions) are not more than max_failures.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/execute/observer.hpp"
#include "plans/plan.hpp"

namespace fabric::execute {

struct ProgressLimits {
  std::size_t at_once = 64;        // actions running at the same time
  std::uint32_t max_failures = 0;  // failed nodes that are borne before later waves are stopped
};

class Progress {
 public:
  // `plan` must outlive this.
  Progress(const plans::Plan& plan, ProgressLimits limits);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Marks them as running. In order of plan.
  std::vector<const plans::Action*> start_ready();
  // REQUIRES: the action is running. Returns what is thereby skipped, with its cause.
  std::vector<ActionResult> finish(const ActionResult& result);
  // Start nothing more (interrupt); what runs may end.
  void stop(const std::string& why);
  bool running() const;
  // Every action once, in order of plan. REQUIRES: !running().
  std::vector<ActionResult> results() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fabric::execute
