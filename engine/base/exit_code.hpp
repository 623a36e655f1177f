// SPDX-License-Identifier: Apache-2.0
// ExitCode: the exit codes of all verbs, and their precedence if several apply.
#pragma once

#include <string_view>

#include "engine/base/error.hpp"

namespace fabric {

enum class ExitCode : int {
  done = 0,
  failed = 1,
  changes = 2,      // only with --detailed-exitcode
  invalid = 3,      // usage, YAML, schema, rule
  unreachable = 4,  // a node was not reached or evidence is missing: incomplete
  policy = 5,       // the operator's own rules don't allow it
  locked = 6,
  stale = 7,
  cancelled = 8,  // cleanly, resumable
  timed_out = 9,
  partly_applied = 10,  // resumable
  rolled_back = 11,
  node_lost = 12,     // a human is needed
  not_verified = 13,  // applied, but verification failed
  interrupted = 130,  // a second interrupt
  terminated = 143,
  bug = 255
};

// The name of the code for the event run_summary: "node-unreachable".
std::string_view reason(ExitCode code);
ExitCode exit_code_for(const Error& error);

// The ranking of all exit codes; more is worse, no two are equal. From worst to best: 255, 130,
// 143, 12, 11, 10, 3, 5, 6, 7, 13, 4, 9, 8, 1, 2, 0.
int severity(ExitCode code);
// The worse of two exit codes.
ExitCode worse(ExitCode a, ExitCode b);

}  // namespace fabric
