// A command on the machine that fabric runs on: what a cluster manager or a BMC is asked from
// there.
#pragma once

#include "engine/remote/step.hpp"
#include "engine/ssh/session.hpp"
#include "engine/ssh/stop_signal.hpp"

namespace fabric::ssh {

// In a process group of its own, so that a deadline or `stop` ends all that it started. Its
// standard input is empty. Outcome::failed if it could not be started, unknown if it was ended.
Execution run_here(const remote::step::RunHere& here, const Clock& clock, StopSignal& stop);

}  // namespace fabric::ssh
