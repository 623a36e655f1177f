// SPDX-License-Identifier: Apache-2.0
// Reads whole files of the control host. Never waits for another process unless a user has named a
// pipe, and never reads beyond the limit: a file whose size is larger is not read at all.
//
// All functions fail with ErrorCode::not_found, denied, or invalid (no regular file, too large),
// naming path and reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/result.hpp"

namespace fabric::files {

// Whether links in the working directory are followed. For files that fabric has put there, none
// is: its author would choose the file that is read (engine/files/place.hpp).
enum class Links : std::uint8_t { followed, refused };

// For files that fabric finds by itself or that a document, a plan or a configuration names. A
// folder, pipe, socket, terminal or device is refused; the null device is an empty file.
Result<std::string> read_regular(
    const std::string& path, std::size_t bytes_max, Links links = Links::followed);

// True if the path means a file that is open already, as standard input: the caller of the program
// has opened it.
bool is_open_file(std::string_view path);

// For an argument that a user has typed: any file but a folder, as the pipe of `<(...)` or
// /dev/stdin. Waits for its end.
Result<std::string> read_argument(const std::string& path, std::size_t bytes_max);

// A regular file in pieces, for a reader that checks it before it takes memory.
class Pieces {
 public:
  // `bytes_max`: for the whole file. Fails as read_regular.
  static Result<Pieces> open(
      const std::string& path, std::size_t bytes_max, Links links = Links::followed);
  std::size_t bytes() const { return bytes_; }
  // "" at the end, or after an error. Valid until the next call.
  std::string_view next();

 private:
  Pieces(FileDescriptor file, std::size_t bytes);

  FileDescriptor file_;
  std::size_t bytes_;
  std::string block_;
};

// Reads a regular file by its name in `folder`. A relative link that stays below `folder` is
// followed; any other is refused (ErrorCode::invalid), wherever it points. REQUIRES: `name` is
// relative.
Result<std::string> read_beneath(
    const std::string& folder, const std::string& name, std::size_t bytes_max);

}  // namespace fabric::files
