// SPDX-License-Identifier: Apache-2.0
// NodeLock: the lock of a node as its platform keeps it, on the node itself: the run that may write
// there, the owner of that run, and the end of the lease. If two runs ask at the same time, one
// gets it. Time is measured by a clock of the node that nothing sets and that goes on while the
// node sleeps; a lease outlasts a boot of its node, and only then may it last longer than it was
// taken for.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::platform {

struct LeaseHolder {
  std::string run;      // id of the run; names the lease
  std::string who;      // "root@ops1", for people
  std::string place;    // kernel and process namespace of `process`
  std::string process;  // pid and start time: "4711.88213"; unlike a pid never used again
  bool operator==(const LeaseHolder&) const = default;
};

// The lock of a node as the node shows it.
struct Lease {
  LeaseHolder holder;
  Duration age{0};
  Duration left{0};  // not positive: it has run out
  bool is_live() const { return left > Duration{0}; }
};

struct LeaseAnswer {
  bool taken = false;
  std::optional<Lease> found;  // another run's lease; by read(): any; nullopt: not locked
};

class NodeLock {
 public:
  NodeLock() = default;
  NodeLock(const NodeLock&) = delete;
  NodeLock& operator=(const NodeLock&) = delete;
  virtual ~NodeLock() = default;

  // Takes the lease, or makes it last for `length` from now. Not taken while another run's lease is
  // live, unless it is that of the run `over` ("" = none).
  virtual remote::Step take(
      const LeaseHolder& holder, Duration length, const std::string& over) const = 0;
  virtual remote::Step read() const = 0;
  // Gives up the lease of `run`; that of any other run stays.
  virtual remote::Step release(const std::string& run) const = 0;
  // The answer to any of these steps. REQUIRES: the outcome is `succeeded`. Fails with
  // ErrorCode::locked if the lock can't be read or understood, for then it counts as held, and with
  // ErrorCode::denied if the node could not do it.
  virtual Result<LeaseAnswer> answer(const remote::StepResult& result) const = 0;
};

}  // namespace fabric::platform
