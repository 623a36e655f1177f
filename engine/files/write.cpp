// SPDX-License-Identifier: Apache-2.0
#include "engine/files/write.hpp"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/files/file_set.hpp"

namespace fabric::files {

namespace {

constexpr mode_t kPrivate = 0600;
constexpr mode_t kPublic = 0644;
constexpr mode_t kPermissions = 0777;

Error system_error(const std::string& path, int number) {
  const bool missing = number == ENOENT || number == ENOTDIR;
  std::string reason = std::generic_category().message(number);  // "No such file or directory"
  reason.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(reason.front())));
  return {missing ? ErrorCode::not_found : ErrorCode::denied, fmt::format("{}: {}", path, reason)};
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

int open_again(const std::string& path, int flags, mode_t mode = 0) {
  int file = -1;
  do {
    file = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode);
  } while (file < 0 && errno == EINTR);
  return file;
}

Result<void> flush_folder(const std::string& path) {
  const FileDescriptor folder{open_again(path, O_RDONLY | O_DIRECTORY)};
  if (!folder) return system_error(path, errno);
  // Some file systems can't: then there is nothing to be had.
  while (fsync(folder.get()) != 0) {
    if (errno == EINVAL || errno == ENOTSUP) return {};
    if (errno != EINTR) return system_error(path, errno);
  }
  return {};
}

// The mode that the file at `path` gets, whatever the umask.
Result<mode_t> mode_for(const std::string& path, Readers readers) {
  struct stat found {};
  const bool is_there = lstat(path.c_str(), &found) == 0;
  if (is_there && !S_ISREG(found.st_mode) && !S_ISLNK(found.st_mode)) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "{}: expected a file, found {}",
            path,
            S_ISDIR(found.st_mode) ? "a directory" : "a pipe, a socket or a device")};
  }
  if (readers == Readers::owner) return kPrivate;
  if (is_there && S_ISREG(found.st_mode)) return found.st_mode & kPermissions;
  return kPublic;
}

Result<void> fill(const FileDescriptor& file, const WritePieces& write, const std::string& path) {
  Result<void> written;
  write([&](std::string_view piece) {
    if (written) written = write_all(file.get(), piece, path);
  });
  return written;
}

// A file of that folder that nobody else has or can guess to be there before; "" and errno.
std::pair<FileDescriptor, std::string> make_temporary(const std::string& path, mode_t mode) {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string temporary =
        fmt::format("{}/.{}.new-{}-{}", folder_of(path), name_of(path), getpid(), attempt);
    FileDescriptor file{
        open_again(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode & kPublic)};
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
    // What can't be flushed is no file on a disk: a pipe, a terminal.
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

Result<void> replace_file(
    const std::string& path, const WritePieces& write, Readers readers, Flush when) {
  const mode_t mode = FABRIC_TRY(mode_for(path, readers));
  auto [file, temporary] = make_temporary(path, readers == Readers::owner ? kPrivate : kPublic);
  if (!file) return system_error(path, errno);
  Result<void> written = fill(file, write, path);
  if (written && when == Flush::now) written = flush(file.get(), path);
  // The umask has its say about what is new and for everybody, and about nothing else.
  struct stat made {};
  const bool is_new = readers == Readers::everybody && access(path.c_str(), F_OK) != 0;
  if (written && !is_new && fstat(file.get(), &made) == 0 &&
      (made.st_mode & kPermissions) != mode && fchmod(file.get(), mode) != 0)
    written = system_error(path, errno);
  if (written && std::rename(temporary.c_str(), path.c_str()) != 0)
    written = system_error(path, errno);
  if (!written) {
    unlink(temporary.c_str());
    return written;
  }
  return when == Flush::now ? flush_folder(folder_of(path)) : written;
}

}  // namespace

Result<void> write_file_in_pieces(
    const std::string& path, const WritePieces& write, Readers readers) {
  return replace_file(path, write, readers, Flush::now);
}

Result<FileSet> FileSet::in(const std::string& folder) {
  FABRIC_TRY(make_folder(folder, Readers::owner));
  FileDescriptor descriptor{open_again(folder, O_RDONLY | O_DIRECTORY)};
  if (!descriptor) return system_error(folder, errno);
  return FileSet{folder, std::move(descriptor)};
}

Result<void> FileSet::write(const std::string& name, std::string_view text) const {
  return replace_file(
      fmt::format("{}/{}", folder_, name),
      [text](const TakePiece& take) { take(text); },
      Readers::owner,
      Flush::later);
}

// All of its file system: nothing else flushes files that are closed by then.
Result<void> FileSet::flush() const {
  while (syncfs(descriptor_.get()) != 0) {
    if (errno != EINTR) return system_error(folder_, errno);
  }
  return {};
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the path
Result<void> make_folder(const std::string& path, Readers readers) {
  struct stat found {};
  if (path.empty() || (stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode))) return {};
  std::string whole = path;
  while (whole.size() > 1 && whole.ends_with('/'))
    whole.pop_back();
  const std::string above = folder_of(whole);
  if (above != whole) FABRIC_TRY(make_folder(above, readers));
  const mode_t mode = readers == Readers::owner ? 0700 : 0755;
  if (mkdir(whole.c_str(), mode) != 0) {
    if (errno != EEXIST) return system_error(path, errno);
    if (stat(whole.c_str(), &found) != 0 || !S_ISDIR(found.st_mode))
      return Error{ErrorCode::invalid, fmt::format("{}: expected a directory", path)};
    return {};
  }
  if (readers == Readers::owner && chmod(whole.c_str(), mode) != 0)
    return system_error(path, errno);
  return flush_folder(above);
}

Result<FileDescriptor> create_file(const std::string& path) {
  FileDescriptor file{
      open_again(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW, kPrivate)};
  if (!file || fchmod(file.get(), kPrivate) != 0) return system_error(path, errno);
  FABRIC_TRY(flush_folder(folder_of(path)));
  return file;
}

Result<FileDescriptor> open_private(const std::string& path) {
  FileDescriptor file{open_again(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, kPrivate)};
  if (!file && errno == ELOOP) {
    return Error{
        ErrorCode::denied,
        fmt::format("{}: expected a file, found a symbolic link: remove it", path)};
  }
  struct stat found {};
  if (!file || fstat(file.get(), &found) != 0) return system_error(path, errno);
  if (!S_ISREG(found.st_mode) || found.st_nlink != 1) {
    return Error{
        ErrorCode::denied,
        fmt::format("{}: expected a file of its own, found a link or a device: remove it", path)};
  }
  if ((found.st_mode & kPermissions) != kPrivate) {
    // Somebody else's file stays as it is.
    if (found.st_uid == geteuid() && fchmod(file.get(), kPrivate) != 0)
      return system_error(path, errno);
  }
  return file;
}

Result<void> remove_file(const std::string& path) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return system_error(path, errno);
  return flush_folder(folder_of(path));
}

}  // namespace fabric::files
