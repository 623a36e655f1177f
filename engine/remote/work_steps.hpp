// SPDX-License-Identifier: Apache-2.0
// WorkSteps: the work on one node, in order, as data.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/remote/step.hpp"

namespace fabric {

// A plan has no dialect, gate, fence or deadline: the executor and the platform add them, so that
// two steps are equal if a plan file has them equal. Steps that no provider asks for, as a pause,
// are not in it.
class WorkSteps {
 public:
  WorkSteps() = default;
  explicit WorkSteps(std::vector<remote::Step> steps) : steps_{std::move(steps)} {}
  WorkSteps& write(remote::step::WriteFile file);
  WorkSteps& copy(remote::step::CopyFile file);  // of a file of fabric's machine
  WorkSteps& remove(std::string path);
  WorkSteps& run(remote::Argv argv);
  WorkSteps& run_each(std::vector<remote::Argv> commands);
  // Adds lines at the prompt of a machine without a shell, in configuration mode. None = no step.
  WorkSteps& converse(std::vector<std::string> lines);
  // Adds a command on the machine that fabric runs on; only its exit status is known.
  WorkSteps& here(remote::Argv argv);
  WorkSteps& append(const WorkSteps& more);

  bool empty() const { return steps_.empty(); }
  std::size_t size() const { return steps_.size(); }
  auto begin() const { return steps_.begin(); }
  auto end() const { return steps_.end(); }

  // The steps of one kind, in order.
  std::vector<remote::step::WriteFile> writes() const;
  std::vector<remote::step::CopyFile> copies() const;
  std::vector<std::string> removes() const;  // paths
  std::vector<remote::Argv> commands() const;
  std::vector<std::string> lines() const;  // lines of all conversations
  // The only command on this machine; empty if there is none.
  remote::Argv command_here() const;

  bool has_writes() const;
  bool has_copies() const;
  bool has_removes() const;
  bool changes_files() const { return has_writes() || has_copies() || has_removes(); }

  void erase_writes(const std::string& path);

  friend bool operator==(const WorkSteps&, const WorkSteps&) = default;

 private:
  std::vector<remote::Step> steps_;
};

// The undo of both. It writes all files first, so that a network comes up as before. A command that
// both need, as a restart of the network, runs once, after the files of both.
WorkSteps undone_together(const WorkSteps& first, const WorkSteps& then);

}  // namespace fabric
