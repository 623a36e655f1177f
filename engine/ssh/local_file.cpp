#include "engine/ssh/local_file.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace fabric::ssh {

Result<std::string> read_local_file(const std::string& path, std::uint64_t bytes) {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  if (failure) {
    const bool missing = failure == std::errc::no_such_file_or_directory;
    return Error{
        missing ? ErrorCode::not_found : ErrorCode::denied,
        fmt::format("{}: {}", path, failure.message())};
  }
  if (size != bytes) {
    return Error{
        ErrorCode::stale,
        fmt::format("{} has changed: expected {} bytes, found {}", path, bytes, size)};
  }
  std::string content(bytes, '\0');
  std::ifstream file{path, std::ios::binary};
  if (!file.read(content.data(), static_cast<std::streamsize>(bytes)))
    return Error{ErrorCode::denied, fmt::format("{}: can't be read", path)};
  return content;
}

}  // namespace fabric::ssh
