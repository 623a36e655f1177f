// SPDX-License-Identifier: Apache-2.0
// FileSet: many files of one folder that come one after the other, as write_file() writes each but
// for the flush: a disk that needs 10 ms for one needs minutes for those of 10,000 nodes. After a
// power cut before flush() a file may be missing or empty.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/result.hpp"

namespace fabric::files {

class FileSet {
 public:
  // Makes the folder, with those above it that are missing. All of these fail as write_file().
  static Result<FileSet> in(const std::string& folder);

  // Readable for its owner alone. A file of that name is replaced as a whole.
  Result<void> write(const std::string& name, std::string_view text) const;
  // All that was written is there after a power cut.
  Result<void> flush() const;

 private:
  FileSet(std::string folder, FileDescriptor descriptor)
      : folder_{std::move(folder)}, descriptor_{std::move(descriptor)} {}

  std::string folder_;
  FileDescriptor descriptor_;
};

}  // namespace fabric::files
