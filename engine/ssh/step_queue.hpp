// SPDX-License-Identifier: Apache-2.0
// StepQueue: the order of steps, one at a time for each node, and their results. Handing over a
// result needs no memory, so that a worker without any left can still do so. It has no threads: the
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
    std::list<remote::StepResult> result;  // one element
  };
  std::list<Pending> steps;  // the first one is running if busy
  bool busy = false;
  std::optional<TimePoint> pause_until;  // the first one is a Pause
  std::list<Lane*> place;                // one element; empty while ready or pausing
};

class StepQueue {
 public:
  void add(Lane& lane, remote::StepRequest request, TimePoint now);

  std::size_t ready() const { return ready_.size(); }
  // The lane that has been ready for longest: its first step is the caller's until finish().
  // REQUIRES: ready() > 0.
  Lane& take() noexcept;
  // To be called when the first step of a taken lane has its result.
  void finish(Lane& lane, TimePoint now) noexcept;

  // Makes results of pauses that are over.
  void end_pauses(TimePoint now) noexcept;
  // The time until the next one is over; `at_most` if none is earlier.
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
