#include "engine/cli/state/run_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/folders.hpp"

namespace fabric::cli {

namespace {

namespace fs = std::filesystem;

Error system_error(const std::string& path) {
  return {ErrorCode::denied, fmt::format("{}: {}", path, std::generic_category().message(errno))};
}

Result<void> write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("journal");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> make_folder(const std::string& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) return Error{ErrorCode::denied, fmt::format("{}: {}", path, failure.message())};
  return {};
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
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return system_error(path);
  return std::unique_ptr<FileJournal>{new FileJournal{file}};
}

FileJournal::~FileJournal() {
  close(file_);
}

Result<void> FileJournal::write(std::string_view text) {
  return write_all(file_, text);
}

Result<void> FileJournal::sync() {
  if (fsync(file_) != 0) return system_error("journal");
  return {};
}

Result<std::string> make_run_folder(const std::string& run) {
  const std::string path = fmt::format("{}/runs/{}", kStateFolder, run);
  Result<void> made = make_folder(path);
  if (!made) return made.error();
  return path;
}

namespace {

// The latest first: their names sort by time.
std::vector<std::string> runs_here() {
  std::vector<std::string> runs;
  std::error_code failure;
  for (fs::directory_iterator entry{fs::path{kStateFolder} / "runs", failure}, end;
       !failure && entry != end;
       entry.increment(failure)) {
    runs.push_back(entry->path().filename().string());
  }
  std::sort(runs.rbegin(), runs.rend());
  return runs;
}

}  // namespace

Result<std::string> run_folder(const std::string& run) {
  const std::vector<std::string> runs = runs_here();
  if (std::find(runs.begin(), runs.end(), run) != runs.end())
    return fmt::format("{}/runs/{}", kStateFolder, run);
  return Error{
      ErrorCode::not_found,
      fmt::format(
          "there is no run '{}' here; {}",
          run,
          runs.empty() ? "nothing was applied from this folder"
                       : fmt::format("the last was {} (fabric history)", runs.front()))};
}

Result<execute::RunRecord> recorded_run(const std::string& run) {
  const std::string path = FABRIC_TRY(run_folder(run)) + "/journal.jsonl";
  // Without a journal it ended before its first line.
  std::error_code failure;
  std::string text;
  if (fs::exists(path, failure))
    text = FABRIC_TRY(read_text_file(path, limits::kDocumentBytes * 4));
  Result<execute::RunRecord> record = execute::read_journal(text);
  if (!record) return with_context(record.error(), path);
  record->run = run;
  return record;
}

Result<std::vector<execute::RunRecord>> recorded_runs() {
  std::vector<execute::RunRecord> records;
  for (const std::string& run : runs_here())
    records.push_back(FABRIC_TRY(recorded_run(run)));
  return records;
}

std::optional<execute::Estimate> estimate_here(const plans::Plan& plan) {
  constexpr std::size_t kRuns = 20;
  std::vector<execute::RunRecord> records;
  for (const std::string& run : runs_here()) {
    if (records.size() == kRuns) break;
    if (Result<execute::RunRecord> record = recorded_run(run))
      records.push_back(*std::move(record));
  }
  return execute::estimate(plan, records);
}

Result<std::unique_ptr<RunLock>> RunLock::acquire() {
  Result<void> made = make_folder(kStateFolder);
  if (!made) return made.error();
  const std::string path = fmt::format("{}/lock", kStateFolder);
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return system_error(path);
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    const Error locked{
        ErrorCode::locked,
        fmt::format(
            "another apply (process {}) is at work here and holds {}", holder_of(file), path)};
    close(file);
    return locked;
  }
  auto lock = std::unique_ptr<RunLock>{new RunLock{file}};
  if (ftruncate(file, 0) != 0) return system_error(path);
  Result<void> written = write_all(file, fmt::format("{}\n", getpid()));
  if (!written) return written.error();
  return lock;
}

// The name of a holder that is gone does no harm: the lock itself is what counts.
RunLock::~RunLock() {
  close(file_);
}

}  // namespace fabric::cli
