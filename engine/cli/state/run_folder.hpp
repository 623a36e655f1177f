// SPDX-License-Identifier: Apache-2.0
// The record of a run: .fabric/runs/<run>/ with the plan and the journal, and the lock that
// prevents a second apply of the same document.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/file_descriptor.hpp"
#include "engine/base/random.hpp"
#include "engine/base/result.hpp"
#include "engine/execute/journal/estimate.hpp"
#include "engine/execute/journal/journal.hpp"
#include "engine/execute/journal/journal_read.hpp"
#include "engine/workflow/run_history.hpp"

namespace fabric::cli {

// "20261120T101227Z-3f9c": sorts by time, and is unique.
std::string new_run_id(const Clock& clock, Random& random);

class FileJournal final : public execute::AppendFile {
 public:
  // Fails with ErrorCode::denied if the file can't be made, or exists already.
  static Result<std::unique_ptr<FileJournal>> create(const std::string& path);
  Result<void> write(std::string_view text) override;
  Result<void> sync() override;

 private:
  explicit FileJournal(FileDescriptor file) : file_{std::move(file)} {}
  FileDescriptor file_;
};

// Makes the folder of a run; returns its path.
Result<std::string> make_run_folder(const std::string& run);

// True for a name as new_run_id() makes it. Other names among the runs are ignored.
bool is_run_id(std::string_view name);

// The runs that took place here, the latest first, also without a readable journal. This and all
// functions below fail with ErrorCode::denied if the path to fabric's records has a link.
Result<std::vector<std::string>> run_names();

// The folder of a run that took place here. Fails with ErrorCode::not_found, naming the existing
// runs.
Result<std::string> run_folder(const std::string& run);
// The path of a run's copy of a file of its document.
std::string document_of_run(const std::string& folder, const std::string& input);
// The record in its journal. Fails as run_folder, or with ErrorCode::invalid at file and line.
Result<execute::RunRecord> recorded_run(const std::string& run);
// The records of all runs, the latest first; empty if nothing was ever applied here.
Result<std::vector<execute::RunRecord>> recorded_runs();

// How long the plan will take, by the latest runs here. An unreadable history counts as empty.
std::optional<execute::Estimate> estimate_here(const plans::Plan& plan);

// The changes that the latest runs here made to the fabric `fabric`. The history ends at a run that
// can't be read: its changes are unknown, so earlier ones tell nothing.
workflow::RunHistory run_history(const std::string& fabric);

// A lock held by a process; the kernel releases it when the process ends in any way.
class RunLock {
 public:
  // Fails with ErrorCode::locked, naming the holder's pid.
  static Result<std::unique_ptr<RunLock>> acquire();

 private:
  explicit RunLock(FileDescriptor file) : file_{std::move(file)} {}
  FileDescriptor file_;
};

}  // namespace fabric::cli
