// SPDX-License-Identifier: Apache-2.0
// LocalChild: a process of this machine that was started for a command, and its end with all that
// it started.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <sys/types.h>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/result.hpp"
#include "engine/remote/command.hpp"

namespace fabric::ssh {

// It has a process group of its own, no blocked signal, no descriptor of this program but its three
// standard streams, and a mark in its environment by which its children are found wherever they
// went. It is killed when the thread that started it ends.
class LocalChild {
 public:
  // `environment` is added to this program's own. Fails with ErrorCode::denied if this machine has
  // no process or no descriptor left. start_failure() shows whether its program could be run.
  static Result<LocalChild> start(
      const remote::Command& command, const std::map<std::string, std::string>& environment);
  LocalChild(const LocalChild&) = delete;
  LocalChild& operator=(const LocalChild&) = delete;
  LocalChild(LocalChild&& other) noexcept;
  LocalChild& operator=(LocalChild&&) = delete;
  // Kills and reaps the process if that was not done.
  ~LocalChild();

  // To be polled and read; not blocking. exit(): readable once the process has ended, -1 where the
  // kernel has no such descriptor. start_failure(): at its end once the program runs.
  int output() const { return output_.get(); }
  int error() const { return error_.get(); }
  int exit() const { return exit_.get(); }
  int start_failure() const { return failure_.get(); }

  // An errno; nullopt while nothing went wrong.
  std::optional<int> why_not_started() const;
  // True if the process has ended, though children may still run. Does not wait.
  bool has_ended() const;
  // Sends to the process, its group, and every process that bears its mark.
  void signal_all(int signal) const;
  // The exit status of the ended process, 128 + n for signal n. REQUIRES: has_ended(), once.
  int reap();

 private:
  LocalChild() = default;

  pid_t process_ = -1;
  std::string mark_;  // "NAME=value"
  FileDescriptor output_, error_, exit_, failure_;
};

// Kills all children, with their groups. May be called by a signal handler.
void kill_local_children() noexcept;

}  // namespace fabric::ssh
