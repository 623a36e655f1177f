// SPDX-License-Identifier: Apache-2.0
// Place: the path of a file as the open folder and the name in it. The author of the working tree
// may have put links there: no link in the working directory is followed, because its author would
// choose the file that is read or overwritten. Links elsewhere are the operator's own and are
// followed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/result.hpp"

namespace fabric::files {

struct Place {
  FileDescriptor folder;  // by O_PATH: for openat(2) and its like
  std::string name;
  bool in_working_directory = false;  // or deeper
};

// All functions fail with ErrorCode::not_found, denied (also for such a link) or invalid (no
// folder), naming the offending path.

// The last part of `path` is not checked.
Result<Place> place_of(const std::string& path);
// Fails if the last part of `path` is a link in the working directory.
Result<void> refuse_link(const std::string& path);
// Opens a folder with O_PATH.
Result<FileDescriptor> open_folder(const std::string& path);
// As open_folder(); makes missing folders with that mode: less what the umask takes, unless it is
// for the owner alone (0700).
Result<FileDescriptor> make_and_open_folder(const std::string& path, mode_t mode);

struct Entry {
  std::string name;
  mode_t mode = 0;  // of the entry itself, be it a link
};

// The entries of a folder, by name.
Result<std::vector<Entry>> entries_of(const std::string& path);

// "a pipe", for the type in a mode.
std::string_view kind_of(mode_t mode);
// The error for errno `number` at `path`.
Error system_error(const std::string& path, int number);
// The error for a link at `path`, with what to do.
Error link_in_the_way(const std::string& path, std::string_view expected);

}  // namespace fabric::files
