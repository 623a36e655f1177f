// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: .fabric/runs/<run>/ with the plan and the journal, and the lock that
// keeps a second apply of the same document out.
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
#include "engine/execute/journal/durable_sink.hpp"
#include "engine/execute/journal/estimate.hpp"
#include "engine/execute/journal/journal_read.hpp"
#include "engine/workflow/run_history.hpp"

namespace fabric::cli {

// "20261120T101227Z-3f9c": sorts by time, unlike any other.
std::string new_run_id(const Clock& clock, Random& random);

class FileJournal final : public execute::AppendFile {
 public:
  // Fails with ErrorCode::denied if the file can't be made, or is there already.
  static Result<std::unique_ptr<FileJournal>> create(const std::string& path);
  Result<void> write(std::string_view text) override;
  Result<void> sync() override;

 private:
  explicit FileJournal(FileDescriptor file) : file_{std::move(file)} {}
  FileDescriptor file_;
};

// Makes the folder of a run; returns its path.
Result<std::string> make_run_folder(const std::string& run);

// True if new_run_id() makes such names. Everything else among the runs is no run.
bool is_run_id(std::string_view name);

// The runs that took place here, the latest first; also those whose journal can't be read. This and
// all below fail with ErrorCode::denied where a link stands in the way to what fabric keeps.
Result<std::vector<std::string>> run_names();

// The folder of a run that took place here. Fails with ErrorCode::not_found, naming the runs there
// are.
Result<std::string> run_folder(const std::string& run);
// Where a run keeps a file of its document.
std::string document_of_run(const std::string& folder, const std::string& input);
// What its journal says. Fails as run_folder, or with ErrorCode::invalid naming file and line.
Result<execute::RunRecord> recorded_run(const std::string& run);
// All of them, the latest first; none if nothing was ever applied here.
Result<std::vector<execute::RunRecord>> recorded_runs();

// How long the plan will take, by the latest runs here. An unreadable history counts as empty.
std::optional<execute::Estimate> estimate_here(const plans::Plan& plan);

// What the latest runs here did to the fabric of this name. A run that can't be read ends it: what
// it did is not known, so earlier ones tell nothing.
workflow::RunHistory run_history(const std::string& fabric);

// Held by a process, given up by the kernel when that ends, however it ends.
class RunLock {
 public:
  // Fails with ErrorCode::locked, naming the holder's pid.
  static Result<std::unique_ptr<RunLock>> acquire();

 private:
  explicit RunLock(FileDescriptor file) : file_{std::move(file)} {}
  FileDescriptor file_;
};

}  // namespace fabric::cli
