// Step to the one command that performs it, so that every runner does the same thing.
#pragma once

#include "engine/remote/step.hpp"

namespace fabric::remote {

// REQUIRES: not a Pause.
// WriteFile: mkdir -p, cat to a temporary beside the target with umask 077, chmod, chown, sync of
// the file, mv -f, sync of the folder; standard input is the content, and its length is checked so
// that a connection cut short never leaves a torn file. Works with coreutils and BusyBox.
Command command_for(const Step& step);

// The same command under `sudo -n`, for become: sudo.
Command with_sudo(Command command);

}  // namespace fabric::remote
