// The exit codes that a run can end with.
#pragma once

#include "engine/execute/executor.hpp"

namespace fabric::execute {

enum class ExitCode : std::uint8_t {
  done = 0,
  failed = 1,
  incomplete = 4,  // some node unreachable
  locked = 6,      // another run took over the lock of a node, and nothing was done
  stale = 7,
  cancelled = 8,  // cleanly, resumable
  timed_out = 9,
  partly_applied = 10,  // resumable
  rolled_back = 11,
  node_lost = 12,    // a human is needed
  not_verified = 13  // applied, but verification failed
};

enum class Verification : std::uint8_t { not_run, passed, failed };

// Where several hold: 12, 11, 10, 6, 13, 4, 9, 8, 7, 1. Part applied means: something failed or may
// have happened, and something was done; an interrupted run without failures is cancelled.
// `plan_complete`: every node could be asked when the plan was made.
ExitCode exit_code(const RunResult& run, bool plan_complete, Verification verification);

}  // namespace fabric::execute
