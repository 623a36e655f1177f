// The exit codes of fabric, for every verb, and which of several wins.
#pragma once

#include <string_view>

#include "engine/base/error.hpp"

namespace fabric::cli {

enum class ExitCode : int {
  done = 0,
  failed = 1,
  changes = 2,      // only with --detailed-exitcode
  invalid = 3,      // usage, YAML, schema, rule
  unreachable = 4,  // some node; the result is incomplete
  policy = 5,       // the operator's own rules don't allow it
  locked = 6,
  stale = 7,
  cancelled = 8,
  timed_out = 9,
  partly_applied = 10,
  rolled_back = 11,
  node_lost = 12,  // a human is needed
  not_verified = 13,
  interrupted = 130,  // a second interrupt
  terminated = 143,
  bug = 255
};

// "some-node-unreachable": for the event run_summary.
std::string_view reason(ExitCode code);
ExitCode exit_code_for(const Error& error);
// 255, 12, 11, 10, 13, 4, 9, 8, 1, and 4 before 2. The others stand for a run that did nothing
// else; they win over everything but a bug.
ExitCode worse(ExitCode a, ExitCode b);

}  // namespace fabric::cli
