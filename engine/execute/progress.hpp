// SPDX-License-Identifier: Apache-2.0
// Progress: which actions of a plan may start now. A pure state machine, O(log n) an event.
//
// An action may start when everything in `needs` has succeeded, everything in `after` has ended,
// its wave is the current one, its node runs nothing else, no holder has one of its mutexes, and
// fewer than the limit run. A wave is current when all actions of earlier waves have ended and
// their failures (nodes, not actions) are not more than max_failures. Once a node is lost it counts
// as down (I6): an action that disturbs another node of its failure domain waits until fewer than
// max_unavailable are down.
//
// An action that ends another one (Action::closes) starts though the run is stopped, as soon as its
// node runs no other action.
//
// A node that is put off goes behind all waves, with all actions that need its own; a node that was
// only kept apart from it goes first, and the two stay apart. A canary stays where it is, for no
// node goes before it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/execute/action/observer.hpp"
#include "engine/model/topology/failure_domains.hpp"
#include "plans/plan.hpp"

namespace fabric::execute {

// Pauses: the waves before which a run stops for inspection, to be resumed.
enum class PauseAfter : std::uint8_t {
  never,
  canary,  // all canaries
  wave     // each wave
};
std::string_view to_string(PauseAfter after);

class Pauses {
 public:
  Pauses(const plans::Plan& plan, PauseAfter after, const std::set<NodeName>& canaries);
  // A resumed run does not pause again for an action that it finds done.
  void ended(const plans::Action& action, ActionState state);
  // True if the run pauses before `wave`. `opened`: the highest wave that was begun.
  bool before(std::uint32_t wave, std::optional<std::uint32_t> opened) const;

 private:
  PauseAfter after_;
  std::uint32_t last_canary_wave_ = 0;
  bool did_something_ = false;
};

// Progress: which actions of a plan may start now. A pure state machine, O(log n) an event.
//
// An action may start when everything in `needs` has succeeded, everything in `after` has ended,
// its wave is the current one, its node runs nothing else, no holder has one of its mutexes, and
// fewer than the limit run. A wave is current when all actions of earlier waves have ended and
// their failures (nodes, not actions) are not more than max_failures. Once a node is lost it counts
// as down (I6): an action that disturbs another node of its failure domain waits until fewer than
// max_unavailable are down.
//
// An action that ends another one (Action::closes) starts though the run is stopped, as soon as its
// node runs no other action.
//
// A node that is put off goes behind all waves, with all actions that need its own; a node that was
// only kept apart from it goes first, and the two stay apart. A canary stays where it is, for no
// node goes before it.
// The effect of a failed node on actions that have not begun.
enum class OnError : std::uint8_t {
  stop_wave,  // the wave goes on, later waves only within max_failures
  stop,       // nothing more begins
  go_on       // all actions go on that do not need the failed one
};

struct ProgressLimits {
  std::size_t at_once = 64;        // actions running at the same time
  std::uint32_t max_failures = 0;  // failed nodes that are tolerated before later waves stop
  std::uint32_t max_unavailable = std::numeric_limits<std::uint32_t>::max();
  OnError on_error = OnError::stop_wave;
  FailureDomains domains{};  // within each of which max_unavailable counts
  std::set<NodeName> canaries{};
  // Pauses only after a wave in which this run has done something.
  PauseAfter pause_after = PauseAfter::never;
  // Nodes that went down after the plan was made: they count as lost.
  std::set<NodeName> down{};
};

class Progress {
 public:
  // `plan` must outlive this.
  Progress(const plans::Plan& plan, ProgressLimits limits);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Returns the actions that may start now, in order of the plan, and marks them as running.
  std::vector<const plans::Action*> start_ready();
  // REQUIRES: the action is running. Returns the actions that it makes skip, with their cause.
  std::vector<ActionResult> finish(const ActionResult& result);
  // The action has done nothing yet and is to be started again later. REQUIRES: it is running.
  void put_off(const plans::Action& action);
  // Puts off a node before any action of it was started.
  void put_off(const NodeName& node);
  // The node went down and did not come back. To be called before its action's finish().
  void lose(const NodeName& node);
  // Starts nothing more (interrupt); running actions may end.
  void stop(const std::string& why);
  bool running() const;
  // True if it stopped for `pause_after`.
  bool paused() const;
  // Every action once, in order of plan. REQUIRES: !running().
  std::vector<ActionResult> results() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fabric::execute
