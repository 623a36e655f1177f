// SPDX-License-Identifier: Apache-2.0
// A command on the machine that fabric runs on: what a cluster manager or a BMC is asked from
// there, a password store, a policy. The one way to run any.
#pragma once

#include "engine/remote/step.hpp"
#include "engine/ssh/session.hpp"
#include "engine/ssh/stop_signal.hpp"

namespace fabric::ssh {

// Ends with the command's own process, though what it left behind holds its streams. The deadline
// and `stop` end that process, its group, and whatever it started that went into a session of its
// own: first by SIGTERM, a moment later by SIGKILL. Standard input is that of the command, else
// empty. Output is kept as far as limits::kCommandOutputBytes a stream. Outcome::failed if it could
// not be started, unknown if it was ended.
Execution run_here(const remote::step::RunHere& here, const Clock& clock, StopSignal& stop);

// Kills every command that runs. May be called by a signal handler, on the way out of the program.
void kill_local_commands() noexcept;

}  // namespace fabric::ssh
