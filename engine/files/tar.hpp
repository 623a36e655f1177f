// SPDX-License-Identifier: Apache-2.0
// Files as one archive that every tar reads (POSIX ustar).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fabric::files {

struct ArchivedFile {
  std::string path;  // relative, with '/'
  std::string text;
};

// In the order given, each with mode 0600. `modified`: seconds since 1970. What of a path is longer
// than the 100 bytes that a header has for it goes into a header of its own (pax).
std::string tar_archive(const std::vector<ArchivedFile>& files, std::uint64_t modified);

}  // namespace fabric::files
