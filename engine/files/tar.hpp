// SPDX-License-Identifier: Apache-2.0
// Packs files into one archive that every tar reads (POSIX ustar).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fabric::files {

struct ArchivedFile {
  std::string path;  // relative, with '/'
  std::string text;
};

// In the order given, each with mode 0600. `modified`: seconds since 1970. A path that is longer
// than the 100 bytes of a header gets an extended header (pax).
std::string tar_archive(const std::vector<ArchivedFile>& files, std::uint64_t modified);

}  // namespace fabric::files
