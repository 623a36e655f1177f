// SPDX-License-Identifier: Apache-2.0
// Progress: which actions of a plan may start now. A pure state machine, O(log n) an event.
//
// An action may start when everything in `needs` has succeeded, everything in `after` has ended,
// its wave is the current one, its node runs nothing else, no holder has one of its mutexes, and
// fewer than the limit run. A wave is current when all actions of earlier waves have ended and
// their failures (nodes, not actions) are not more than max_failures. Once a node is lost it counts
// as down (I6): what disturbs another of its failure domain waits until fewer than
// max_unavailable are.
//
// An action that ends another one (Action::closes) starts though the run is stopped, as soon as its
// node runs no other action.
//
// A node that is put off goes behind all waves, with what needs its actions; a node that was only
// kept apart from it goes first, and it is kept apart from them. A canary stays where it is, for no
// node goes before it.
#pragma once

#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/execute/action/observer.hpp"
#include "engine/execute/pauses.hpp"
#include "engine/model/topology/failure_domains.hpp"
#include "plans/plan.hpp"

namespace fabric::execute {

// What a failed node means for what has not begun.
enum class OnError : std::uint8_t {
  stop_wave,  // the wave goes on, later ones only as far as max_failures allows
  stop,       // nothing more begins
  go_on       // everything that does not need what failed
};

struct ProgressLimits {
  std::size_t at_once = 64;        // actions running at the same time
  std::uint32_t max_failures = 0;  // failed nodes that are borne before later waves are stopped
  std::uint32_t max_unavailable = std::numeric_limits<std::uint32_t>::max();
  OnError on_error = OnError::stop_wave;
  FailureDomains domains{};  // within each of which max_unavailable counts
  std::set<NodeName> canaries{};
  // Only after a wave of which this run has done something.
  PauseAfter pause_after = PauseAfter::never;
  // Went down after the plan was made: like one that is lost.
  std::set<NodeName> down{};
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
  // It has done nothing yet and is to be started again later. REQUIRES: the action is running.
  void put_off(const plans::Action& action);
  // The same of a node before anything of it was started.
  void put_off(const NodeName& node);
  // It went down and did not come back. Before finish() of the action that found out.
  void lose(const NodeName& node);
  // Start nothing more (interrupt); what runs may end.
  void stop(const std::string& why);
  bool running() const;
  // It stopped for `pause_after`.
  bool paused() const;
  // Every action once, in order of plan. REQUIRES: !running().
  std::vector<ActionResult> results() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fabric::execute
