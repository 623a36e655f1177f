// SPDX-License-Identifier: Apache-2.0
// Writes files of the control host; all files are written here. Written content survives a power
// cut; no foreign link is followed (engine/files/place.hpp), so that only the operator chooses the
// folder; the readers do not depend on the umask. Output to /dev/null is discarded.
//
// All functions fail with ErrorCode::denied, not_found (there is no folder) or invalid (the path is
// a folder, a device or a pipe), naming path and reason.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/result.hpp"

namespace fabric::files {

enum class Readers : std::uint8_t {
  owner,     // mode 0600, folders 0700: facts, plans, journals, logs, keys
  everybody  // at most 0644, folders 0755; a file that is there keeps its mode
};

// Replaces a file as a whole: written beside it, flushed, renamed, its folder flushed. A symbolic
// link of that name is replaced, and its target is unchanged. A file that is open already
// (/dev/stdout, is_open_file()) is written to.
Result<void> write_file(const std::string& path, std::string_view text, Readers readers);
// For a text that is too large for memory: `write` produces it piece by piece.
using TakePiece = std::function<void(std::string_view)>;
using WritePieces = std::function<void(const TakePiece&)>;
Result<void> write_file_in_pieces(
    const std::string& path, const WritePieces& write, Readers readers);

// Makes a folder and its missing parents; an existing folder is unchanged.
Result<void> make_folder(const std::string& path, Readers readers);

// Makes a new file, mode 0600, to append to, and flushes its folder.
Result<FileDescriptor> create_file(const std::string& path);

// Opens a regular file with one name, mode 0600, or makes it; a link is refused, and the file is
// not truncated.
Result<FileDescriptor> open_private(const std::string& path);

// Writes the whole text, also when interrupted. `path` is for the message.
Result<void> write_all(int file, std::string_view text, const std::string& path);
// fsync(2).
Result<void> flush(int file, const std::string& path);

// Removes a file and flushes its folder; succeeds if there is none.
Result<void> remove_file(const std::string& path);

}  // namespace fabric::files
