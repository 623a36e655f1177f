// Reading and replacing whole files on the control host.
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/cli/state/document.hpp"

namespace fabric::cli {

namespace {

Error system_error(const std::string& path) {
  const ErrorCode code = errno == ENOENT ? ErrorCode::not_found : ErrorCode::denied;
  std::string reason = std::generic_category().message(errno);  // "No such file or directory"
  reason.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(reason.front())));
  return {code, fmt::format("{}: {}", path, reason)};
}

Result<void> write_all(int file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error(path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (fsync(file) != 0) return system_error(path);
  return {};
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max) {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) {
    return Error{ErrorCode::invalid, fmt::format("{}: expected a file, found a directory", path)};
  }
  errno = 0;
  std::ifstream file{path, std::ios::binary};
  if (!file) return system_error(path);
  // Not sized in advance: a pipe or /dev/stdin has no size.
  std::string text;
  std::string block(std::size_t{1} << 16U, '\0');
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(file.gcount()));
    if (text.size() > bytes_max) {
      return Error{
          ErrorCode::invalid, fmt::format("{}: expected at most {} bytes", path, bytes_max)};
    }
  }
  if (file.bad()) return system_error(path);
  return text;
}

Result<void> write_text_file(const std::string& path, std::string_view text) {
  const std::string temporary = fmt::format("{}.new-{}", path, getpid());
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return system_error(path);
  Result<void> written = write_all(file, text, path);
  close(file);
  if (written && std::rename(temporary.c_str(), path.c_str()) != 0) written = system_error(path);
  if (!written) unlink(temporary.c_str());
  return written;
}

}  // namespace fabric::cli
