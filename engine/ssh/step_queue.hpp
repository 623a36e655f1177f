// SPDX-License-Identifier: Apache-2.0
// StepQueue: the order of steps, one at a time for each node, and their results. Handing a result
// over takes no memory, so that a worker that has none left can still do so. It has no threads: the
// caller holds the lock.
#pragma once

#include <cstddef>
#include <list>
#include <optional>

#include "engine/base/clock.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::ssh {

// The steps of one node. Its address must not change while it has any.
struct Lane {
  struct Pending {
    remote::StepRequest request;
    std::list<remote::StepResult> result;  // one
  };
  std::list<Pending> steps;  // the first one is running if busy
  bool busy = false;
  std::optional<TimePoint> pause_until;  // the first one is a Pause
  std::list<Lane*> place;                // one; none while it is ready or pauses
};

class StepQueue {
 public:
  void add(Lane& lane, remote::StepRequest request, TimePoint now);

  std::size_t ready() const { return ready_.size(); }
  // The lane that has been ready for longest: its first step is the caller's until finish().
  // REQUIRES: ready() > 0.
  Lane& take() noexcept;
  // The first step of a lane that was taken has its result.
  void finish(Lane& lane, TimePoint now) noexcept;

  // Pauses that are over become results.
  void end_pauses(TimePoint now) noexcept;
  // How long until one is, `at_most` if none is earlier.
  Duration until_next_pause(TimePoint now, Duration at_most) const;

  bool has_results() const { return !results_.empty(); }
  // REQUIRES: has_results().
  remote::StepResult take_result();

 private:
  void go_on(Lane& lane, TimePoint now) noexcept;

  std::list<Lane*> ready_;
  std::list<Lane*> pausing_;
  std::list<remote::StepResult> results_;
};

}  // namespace fabric::ssh
