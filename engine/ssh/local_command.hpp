// SPDX-License-Identifier: Apache-2.0
// Runs all commands on the machine that fabric runs on: questions to a cluster manager or a BMC, a
// password store, a policy.
#pragma once

#include "engine/remote/step.hpp"
#include "engine/ssh/session.hpp"
#include "engine/ssh/stop_signal.hpp"

namespace fabric::ssh {

// Ends with the command's own process, though other processes may still hold its streams. The
// deadline and `stop` end that process, its group, and every process that it started in a session
// of its own: first by SIGTERM, a moment later by SIGKILL. Standard input is that of the command,
// else empty. Keeps limits::kCommandOutputBytes of each stream. Outcome::failed if it could not be
// started, unknown if it was ended.
Execution run_here(const remote::step::RunHere& here, const Clock& clock, StopSignal& stop);

// Kills every command that runs. May be called by a signal handler, on the way out of the program.
void kill_local_commands() noexcept;

}  // namespace fabric::ssh
