// SPDX-License-Identifier: Apache-2.0
// Opens a file below a folder, by the kernel's own rule where it has one.
#pragma once

#include <string>

#include "engine/base/file_descriptor.hpp"

namespace fabric::files {

struct Beneath {
  FileDescriptor file;  // not open: it failed
  int error = 0;        // errno; EXDEV: a link or ".." leads out of the folder
};

// Whether the kernel resolves the path (openat2, Linux 5.6), or this program name by name.
enum class Walk { by_kernel, by_ourselves };

// Opens for reading; never blocks, never gets a controlling terminal. Resolves by itself where the
// kernel, or a filter of system calls, does not have openat2. REQUIRES: `name` is relative.
Beneath open_beneath(
    const std::string& folder, const std::string& name, Walk walk = Walk::by_kernel);

}  // namespace fabric::files
