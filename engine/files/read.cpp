// SPDX-License-Identifier: Apache-2.0
#include "engine/files/read.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "engine/files/beneath.hpp"
#include "engine/files/place.hpp"

namespace fabric::files {

namespace {

constexpr std::size_t kBlock = std::size_t{64} * 1024;

Error too_large(const std::string& path, std::size_t bytes_max) {
  return {ErrorCode::invalid, fmt::format("{}: expected at most {} bytes", path, bytes_max)};
}

bool is_null_device(const struct stat& status) {
  constexpr unsigned kMemoryDevices = 1;
  constexpr unsigned kNull = 3;
  return S_ISCHR(status.st_mode) && major(status.st_rdev) == kMemoryDevices &&
         minor(status.st_rdev) == kNull;
}

enum class May { be_regular, be_anything };

// The size that the file says it has, 0 of one that has none. Fails if it may not be read.
Result<std::size_t> size_of(
    const FileDescriptor& file, const std::string& path, std::size_t bytes_max, May may) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return system_error(path, errno);
  const bool regular = S_ISREG(status.st_mode) || is_null_device(status);
  if (S_ISDIR(status.st_mode) || (!regular && may == May::be_regular)) {
    return Error{
        ErrorCode::invalid,
        fmt::format("{}: expected a file, found {}", path, kind_of(status.st_mode))};
  }
  if (!S_ISREG(status.st_mode)) return 0;
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  if (size > bytes_max) return too_large(path, bytes_max);
  return static_cast<std::size_t>(size);
}

// Not by the size alone: a pipe has none, and a file can grow.
Result<std::string> read_all(
    const FileDescriptor& file, const std::string& path, std::size_t bytes_max, May may) {
  const std::size_t size = FABRIC_TRY(size_of(file, path, bytes_max, may));
  // One byte more than the file's size, so that the end is seen.
  std::string text(size == 0 ? kBlock : size + 1, '\0');
  std::size_t used = 0;
  while (true) {
    if (used == text.size()) text.resize(used + std::max(used, kBlock));
    const ssize_t got = ::read(file.get(), text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path, errno);
    used += static_cast<std::size_t>(got);
    if (used > bytes_max) return too_large(path, bytes_max);
    if (got > 0) continue;
    text.resize(used);
    return text;
  }
}

Result<FileDescriptor> open_regular(const std::string& path, Links links) {
  constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  FileDescriptor file;
  if (links == Links::refused) {
    const Place place = FABRIC_TRY(place_of(path));
    const int last = place.in_working_directory ? O_NOFOLLOW : 0;
    file = FileDescriptor{::openat(place.folder.get(), place.name.c_str(), kFlags | last)};
    if (!file && errno == ELOOP && last != 0) return link_in_the_way(path, "a file");
  } else {
    file = FileDescriptor{::open(path.c_str(), kFlags)};
  }
  if (file) return file;
  // Errors of open() for a socket and a missing device.
  if (errno == ENXIO || errno == ENODEV)
    return Error{ErrorCode::invalid, fmt::format("{}: expected a file, found a device", path)};
  return system_error(path, errno);
}

}  // namespace

Result<std::string> read_regular(const std::string& path, std::size_t bytes_max, Links links) {
  const FileDescriptor file = FABRIC_TRY(open_regular(path, links));
  return read_all(file, path, bytes_max, May::be_regular);
}

Pieces::Pieces(FileDescriptor file, std::size_t bytes)
    : file_{std::move(file)}, bytes_{bytes}, block_(kBlock, '\0') {}

Result<Pieces> Pieces::open(const std::string& path, std::size_t bytes_max, Links links) {
  FileDescriptor file = FABRIC_TRY(open_regular(path, links));
  const std::size_t bytes = FABRIC_TRY(size_of(file, path, bytes_max, May::be_regular));
  return Pieces{std::move(file), bytes};
}

std::string_view Pieces::next() {
  while (true) {
    const ssize_t got = ::read(file_.get(), block_.data(), block_.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    return std::string_view{block_}.substr(0, static_cast<std::size_t>(got));
  }
}

bool is_open_file(std::string_view path) {
  constexpr std::array<std::string_view, 3> kStandard{"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  return std::find(kStandard.begin(), kStandard.end(), path) != kStandard.end() ||
         path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

Result<std::string> read_argument(const std::string& path, std::size_t bytes_max) {
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC)};
  if (!file) return system_error(path, errno);
  return read_all(file, path, bytes_max, May::be_anything);
}

Result<std::string> read_beneath(
    const std::string& folder, const std::string& name, std::size_t bytes_max) {
  std::string path = folder;
  if (!path.empty() && path.back() != '/') path += '/';
  path += name;
  const Beneath opened = open_beneath(folder, name);
  if (opened.file) return read_all(opened.file, path, bytes_max, May::be_regular);
  if (opened.error == EXDEV || opened.error == ELOOP) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "{}: a link that leaves its directory is not followed; put the file itself there",
            path)};
  }
  if (opened.error == ENXIO || opened.error == ENODEV)
    return Error{ErrorCode::invalid, fmt::format("{}: expected a file, found a device", path)};
  return system_error(path, opened.error);
}

}  // namespace fabric::files
