// SPDX-License-Identifier: Apache-2.0
#include "engine/files/write.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/text.hpp"
#include "engine/files/file_set.hpp"
#include "engine/files/place.hpp"
#include "engine/files/read.hpp"

namespace fabric::files {

namespace {

constexpr mode_t kPrivate = 0600;
constexpr mode_t kPublic = 0644;
constexpr mode_t kPermissions = 0777;
constexpr mode_t kOfOwner = 0700;
constexpr mode_t kOfEverybody = 0755;

int open_again(int folder, const std::string& name, int flags, mode_t mode = 0) {
  int file = -1;
  do {
    file = ::openat(folder, name.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode);
  } while (file < 0 && errno == EINTR);
  return file;
}

// `path` is for the message.
Result<void> flush_folder(int opened, const std::string& path) {
  const FileDescriptor folder{open_again(opened, ".", O_RDONLY | O_DIRECTORY)};
  if (!folder) return system_error(path, errno);
  // Some file systems can't: then there is nothing to be had.
  while (fsync(folder.get()) != 0) {
    if (errno == EINVAL || errno == ENOTSUP) return {};
    if (errno != EINTR) return system_error(path, errno);
  }
  return {};
}

// The mode of a replaced file before, and the mode after.
struct Mode {
  mode_t bits = kPublic;
  bool is_new = true;
};

// The mode that the file gets under any umask.
Result<Mode> mode_for(
    int folder, const std::string& name, const std::string& path, Readers readers) {
  struct stat found {};
  const bool is_there = fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
  if (is_there && !S_ISREG(found.st_mode) && !S_ISLNK(found.st_mode)) {
    return Error{
        ErrorCode::invalid,
        fmt::format("{}: expected a file, found {}", path, kind_of(found.st_mode))};
  }
  if (readers == Readers::owner) return Mode{kPrivate, !is_there};
  if (is_there && S_ISREG(found.st_mode)) return Mode{found.st_mode & kPermissions, false};
  return Mode{kPublic, !is_there};
}

Result<void> fill(const FileDescriptor& file, const WritePieces& write, const std::string& path) {
  Result<void> written;
  write([&](std::string_view piece) {
    if (written) written = write_all(file.get(), piece, path);
  });
  return written;
}

// A new file of that folder, with a name that no other process has or can guess; "" and errno.
std::pair<FileDescriptor, std::string> make_temporary(
    int folder, const std::string& name, mode_t mode) {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string temporary = fmt::format(".{}.new-{}-{}", name, getpid(), attempt);
    FileDescriptor file{
        open_again(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode & kPublic)};
    if (file) return {std::move(file), std::move(temporary)};
    if (errno != EEXIST) break;
  }
  return {FileDescriptor{}, ""};
}

}  // namespace

Result<void> write_all(int file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error(path, errno);
    // Not even a byte, and no reason: it would never end.
    if (written == 0) return system_error(path, ENOSPC);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> flush(int file, const std::string& path) {
  while (fsync(file) != 0) {
    // A file that can't be flushed is not on a disk: a pipe, a terminal.
    if (errno == EINVAL || errno == EROFS) return {};
    if (errno != EINTR) return system_error(path, errno);
  }
  return {};
}

Result<void> write_file(const std::string& path, std::string_view text, Readers readers) {
  return write_file_in_pieces(
      path, [text](const TakePiece& take) { take(text); }, readers);
}

namespace {

enum class Flush : std::uint8_t { now, later };

// For is_open_file(): duplicates the descriptor, because a second open would have its own offset.
FileDescriptor same_as(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  std::uint64_t number = parse_unsigned(name, 10).value_or(INT_MAX);
  if (name == "stdout") number = STDOUT_FILENO;
  if (name == "stderr") number = STDERR_FILENO;
  return FileDescriptor{
      fcntl(static_cast<int>(std::min<std::uint64_t>(number, INT_MAX)), F_DUPFD_CLOEXEC, 0)};
}

// `path` is for messages.
Result<void> replace_file(
    int folder,
    const std::string& name,
    const std::string& path,
    const WritePieces& write,
    Readers readers,
    Flush when) {
  const Mode mode = FABRIC_TRY(mode_for(folder, name, path, readers));
  auto [file, temporary] =
      make_temporary(folder, name, readers == Readers::owner ? kPrivate : kPublic);
  if (!file) return system_error(path, errno);
  Result<void> written = fill(file, write, path);
  if (written && when == Flush::now) written = flush(file.get(), path);
  // The umask applies to new files that all may read, and to no others.
  struct stat made {};
  const bool by_umask = readers == Readers::everybody && mode.is_new;
  if (written && !by_umask && fstat(file.get(), &made) == 0 &&
      (made.st_mode & kPermissions) != mode.bits && fchmod(file.get(), mode.bits) != 0)
    written = system_error(path, errno);
  if (written && renameat(folder, temporary.c_str(), folder, name.c_str()) != 0)
    written = system_error(path, errno);
  if (!written) {
    unlinkat(folder, temporary.c_str(), 0);
    return written;
  }
  return when == Flush::now ? flush_folder(folder, path) : written;
}

}  // namespace

Result<void> write_file_in_pieces(
    const std::string& path, const WritePieces& write, Readers readers) {
  if (path == "/dev/null") return {};
  if (is_open_file(path)) {
    const FileDescriptor file = same_as(path);
    if (!file) return system_error(path, errno);
    return fill(file, write, path);
  }
  const Place place = FABRIC_TRY(place_of(path));
  return replace_file(place.folder.get(), place.name, path, write, readers, Flush::now);
}

Result<FileSet> FileSet::in(const std::string& folder) {
  const FileDescriptor opened = FABRIC_TRY(make_and_open_folder(folder, kOfOwner));
  FileDescriptor descriptor{open_again(opened.get(), ".", O_RDONLY | O_DIRECTORY)};
  if (!descriptor) return system_error(folder, errno);
  return FileSet{folder, std::move(descriptor)};
}

Result<void> FileSet::write(const std::string& name, std::string_view text) const {
  return replace_file(
      descriptor_.get(),
      name,
      fmt::format("{}/{}", folder_, name),
      [text](const TakePiece& take) { take(text); },
      Readers::owner,
      Flush::later);
}

// Flushes the whole file system, because the files are closed by then.
Result<void> FileSet::flush() const {
  while (syncfs(descriptor_.get()) != 0) {
    if (errno != EINTR) return system_error(folder_, errno);
  }
  return {};
}

Result<void> make_folder(const std::string& path, Readers readers) {
  FABRIC_TRY(make_and_open_folder(path, readers == Readers::owner ? kOfOwner : kOfEverybody));
  return {};
}

Result<FileDescriptor> create_file(const std::string& path) {
  const Place place = FABRIC_TRY(place_of(path));
  FileDescriptor file{open_again(
      place.folder.get(),
      place.name,
      O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW,
      kPrivate)};
  if (!file || fchmod(file.get(), kPrivate) != 0) return system_error(path, errno);
  FABRIC_TRY(flush_folder(place.folder.get(), path));
  return file;
}

Result<FileDescriptor> open_private(const std::string& path) {
  const Place place = FABRIC_TRY(place_of(path));
  FileDescriptor file{open_again(
      place.folder.get(), place.name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, kPrivate)};
  if (!file && errno == ELOOP) return link_in_the_way(path, "a file");
  struct stat found {};
  if (!file || fstat(file.get(), &found) != 0) return system_error(path, errno);
  if (!S_ISREG(found.st_mode) || found.st_nlink != 1) {
    return Error{
        ErrorCode::denied,
        fmt::format(
            "{}: expected a file of its own, found {}: remove it",
            path,
            S_ISREG(found.st_mode) ? "a second name of another file" : kind_of(found.st_mode))};
  }
  if ((found.st_mode & kPermissions) != kPrivate) {
    // A foreign file stays as it is.
    if (found.st_uid == geteuid() && fchmod(file.get(), kPrivate) != 0)
      return system_error(path, errno);
  }
  return file;
}

Result<void> remove_file(const std::string& path) {
  const Place place = FABRIC_TRY(place_of(path));
  if (unlinkat(place.folder.get(), place.name.c_str(), 0) != 0 && errno != ENOENT)
    return system_error(path, errno);
  return flush_folder(place.folder.get(), path);
}

}  // namespace fabric::files
