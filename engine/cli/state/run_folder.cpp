// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/run_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/folders.hpp"
#include "engine/files/place.hpp"
#include "engine/files/read.hpp"
#include "engine/files/write.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

Error system_error(const std::string& path) {
  return {ErrorCode::denied, fmt::format("{}: {}", path, std::generic_category().message(errno))};
}

std::string holder_of(int file) {
  std::array<char, 32> text{};
  const ssize_t got = pread(file, text.data(), text.size(), 0);
  return got <= 0 ? "unknown" : std::string{trim({text.data(), static_cast<std::size_t>(got)})};
}

}  // namespace

std::string new_run_id(const Clock& clock, Random& random) {
  constexpr std::uint64_t kSuffixes = 0x10000;
  std::string time;
  // 2026-11-20T10:12:27.123Z without what file names and shells don't like.
  for (const char c : format_utc(clock.unix_milliseconds())) {
    if (c == '.') break;
    if (c != '-' && c != ':') time += c;
  }
  return fmt::format("{}Z-{:04x}", time, random.below(kSuffixes));
}

Result<std::unique_ptr<FileJournal>> FileJournal::create(const std::string& path) {
  FileDescriptor file = FABRIC_TRY(files::create_file(path));
  return std::unique_ptr<FileJournal>{new FileJournal{std::move(file)}};
}

Result<void> FileJournal::write(std::string_view text) {
  return files::write_all(file_.get(), text, "journal");
}

Result<void> FileJournal::sync() {
  return files::flush(file_.get(), "journal");
}

Result<std::string> make_run_folder(const std::string& run) {
  const std::string path = fmt::format("{}/{}", kRunsFolder, run);
  FABRIC_TRY(files::make_folder(path, files::Readers::owner));
  return path;
}

bool is_run_id(std::string_view name) {
  constexpr std::string_view kForm = "00000000T000000Z-ffff";
  return std::equal(name.begin(), name.end(), kForm.begin(), kForm.end(), [](char c, char form) {
    const bool is_digit = c >= '0' && c <= '9';
    if (form == '0') return is_digit;
    return form == 'f' ? is_digit || (c >= 'a' && c <= 'f') : c == form;
  });
}

Result<std::vector<std::string>> run_names() {
  std::vector<std::string> runs;
  const Result<std::vector<files::Entry>> entries = files::entries_of(kRunsFolder);
  if (!entries && entries.error().code != ErrorCode::not_found) return entries.error();
  if (!entries) return runs;
  for (const files::Entry& entry : *entries) {
    if (is_run_id(entry.name)) runs.push_back(entry.name);
  }
  // Their names sort by time.
  std::reverse(runs.begin(), runs.end());
  return runs;
}

namespace {

// A file that does not begin like a journal is not read to its end.
Result<std::string> read_journal_text(const std::string& path) {
  constexpr std::size_t kLineMost = limits::kMebibyte;
  files::Pieces pieces =
      FABRIC_TRY(files::Pieces::open(path, limits::kJournalBytes, files::Links::refused));
  std::string begin;
  for (std::string_view piece = pieces.next(); !piece.empty(); piece = pieces.next()) {
    begin += piece;
    const std::size_t end = begin.find('\n');
    if (end == std::string::npos && begin.size() <= kLineMost) continue;
    begin.resize(end == std::string::npos ? 0 : end + 1);
    const Result<execute::RunRecord> first = execute::read_journal(begin);
    if (!first) return with_context(first.error(), path);
    if (begin.empty())
      return Error{ErrorCode::invalid, fmt::format("{}: line 1: no event is that long", path)};
    break;
  }
  return read_text_file(path, limits::kJournalBytes);
}

// REQUIRES: the run exists.
Result<execute::RunRecord> record_of(const std::string& run) {
  const std::string path = fmt::format("{}/{}/journal.jsonl", kRunsFolder, run);
  const Result<std::string> text = read_journal_text(path);
  if (!text && text.error().code != ErrorCode::not_found) return text.error();
  // Without a journal it ended before its first line.
  Result<execute::RunRecord> record = execute::read_journal(text ? *text : "");
  if (!record) return with_context(record.error(), path);
  record->run = run;
  return record;
}

}  // namespace

Result<std::string> run_folder(const std::string& run) {
  const std::vector<std::string> runs = FABRIC_TRY(run_names());
  if (std::ranges::find(runs, run) != runs.end()) return fmt::format("{}/{}", kRunsFolder, run);
  return Error{
      ErrorCode::not_found,
      fmt::format(
          "there is no run '{}' here; {}",
          run,
          runs.empty() ? "nothing was applied from this folder"
                       : fmt::format("the last run was {} (fabric history)", runs.front()))};
}

std::string document_of_run(const std::string& folder, const std::string& input) {
  return fmt::format("{}/document/{}", folder, std::filesystem::path{input}.filename().string());
}

Result<execute::RunRecord> recorded_run(const std::string& run) {
  FABRIC_TRY(run_folder(run));
  return record_of(run);
}

Result<std::vector<execute::RunRecord>> recorded_runs() {
  std::vector<execute::RunRecord> records;
  for (const std::string& run : FABRIC_TRY(run_names()))
    records.push_back(FABRIC_TRY(record_of(run)));
  return records;
}

namespace {

// The names of the runs, empty if they can't be listed: the caller works without them.
std::vector<std::string> told_of() {
  Result<std::vector<std::string>> runs = run_names();
  return runs ? *std::move(runs) : std::vector<std::string>{};
}

}  // namespace

std::optional<execute::Estimate> estimate_here(const plans::Plan& plan) {
  constexpr std::size_t kRuns = 20;
  std::vector<execute::RunRecord> records;
  for (const std::string& run : told_of()) {
    if (records.size() == kRuns) break;
    if (Result<execute::RunRecord> record = record_of(run)) records.push_back(*std::move(record));
  }
  return execute::estimate(plan, records);
}

workflow::RunHistory run_history(const std::string& fabric) {
  constexpr std::size_t kRuns = 50;
  workflow::RunHistory history;
  std::size_t told = 0;
  for (const std::string& run : told_of()) {
    if (told++ == kRuns) break;
    const Result<execute::RunRecord> record = record_of(run);
    if (!record) break;
    if (record->actions.empty() || record->fabric != fabric) continue;
    const Result<std::string> text =
        read_text_file(fmt::format("{}/{}/plan.json", kRunsFolder, run), limits::kPlanBytes);
    if (!text) break;
    const Result<plans::Plan> plan = plans::parse_plan_file(*text);
    if (!plan) break;
    history.add(*record, *plan);
  }
  return history;
}

Result<std::unique_ptr<RunLock>> RunLock::acquire() {
  // An obstacle to the record of a run is reported before anything is done.
  FABRIC_TRY(files::make_folder(kRunsFolder, files::Readers::owner));
  const std::string path = fmt::format("{}/lock", kStateFolder);
  FileDescriptor file = FABRIC_TRY(files::open_private(path));
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{
        ErrorCode::locked,
        fmt::format(
            "another apply (process {}) is at work here and holds {}",
            holder_of(file.get()),
            path)};
  }
  // The name of a holder that is gone does no harm: the lock itself is what counts.
  if (ftruncate(file.get(), 0) != 0) return system_error(path);
  FABRIC_TRY(files::write_all(file.get(), fmt::format("{}\n", getpid()), path));
  return std::unique_ptr<RunLock>{new RunLock{std::move(file)}};
}

}  // namespace fabric::cli
