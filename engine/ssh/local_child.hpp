// SPDX-License-Identifier: Apache-2.0
// LocalChild: a process of this machine that was started for a command, and how it is ended with
// all that it started.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <sys/types.h>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/result.hpp"
#include "engine/remote/command.hpp"

namespace fabric::ssh {

// In a process group of its own, with no signal blocked, no descriptor of ours but its three
// standard streams, and a mark in its environment by which its children are found wherever they
// went. It is killed when the thread that started it ends.
class LocalChild {
 public:
  // `environment` is on top of this program's own. Fails with ErrorCode::denied if this machine
  // has no process or no descriptor left. Whether its program could be run tells start_failure().
  static Result<LocalChild> start(
      const remote::Command& command, const std::map<std::string, std::string>& environment);
  LocalChild(const LocalChild&) = delete;
  LocalChild& operator=(const LocalChild&) = delete;
  LocalChild(LocalChild&& other) noexcept;
  LocalChild& operator=(LocalChild&&) = delete;
  // Kills and reaps it if that was not done.
  ~LocalChild();

  // To be polled and read; not blocking. exit(): readable once the process has ended, -1 where the
  // kernel has no such descriptor. start_failure(): at its end once the program runs.
  int output() const { return output_.get(); }
  int error() const { return error_.get(); }
  int exit() const { return exit_.get(); }
  int start_failure() const { return failure_.get(); }

  // An errno; nullopt while nothing went wrong.
  std::optional<int> why_not_started() const;
  // It has ended, whichever of its children still run. Does not wait.
  bool has_ended() const;
  // Sends to the process, its group, and every process that bears its mark.
  void signal_all(int signal) const;
  // Of an ended process: its exit status, 128 + n for signal n. REQUIRES: has_ended(), once.
  int reap();

 private:
  LocalChild() = default;

  pid_t process_ = -1;
  std::string mark_;  // "NAME=value"
  FileDescriptor output_, error_, exit_, failure_;
};

// Kills all children that there are, with their groups. May be called by a signal handler.
void kill_local_children() noexcept;

}  // namespace fabric::ssh
