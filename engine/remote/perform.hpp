// SPDX-License-Identifier: Apache-2.0
// Turns a step into the one command that performs it, so that every runner does the same.
#pragma once

#include "engine/remote/step.hpp"

namespace fabric::remote {

// True if a node with a shell does the step by one command: a step for command_for(), or CopyFile.
bool is_shell_step(const Step& step);

// REQUIRES: is_shell_step(step), and no CopyFile.
// WriteFile: mkdir -p, cat to a temporary beside the target with umask 077, chmod, chown, sync of
// the file, mv -f, sync of the folder; standard input is the content, and its length is checked so
// that a connection cut short never leaves a torn file. Works with coreutils and BusyBox.
Command command_for(const Step& step);

// The step's own command if it needs nothing around it; null: command_for() makes one.
const Command* command_as_it_is(const Step& step);

// As for WriteFile, with `content` read from copy.source by the caller. The node compares size and
// digest of the received content (sha256sum of coreutils or BusyBox) before it replaces anything,
// so that a source that was changed meanwhile never takes effect.
Command command_for(const step::CopyFile& copy, std::string content);

// The same command under `sudo -n`, for become: sudo.
Command with_sudo(Command command);

}  // namespace fabric::remote
