// SPDX-License-Identifier: Apache-2.0
// FileSet: many files of one folder, written one after the other as by write_file() but without a
// flush for each: a disk that needs 10 ms for one needs minutes for those of 10,000 nodes. After a
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
  // Makes the folder and its missing parents. All functions here fail as write_file().
  static Result<FileSet> in(const std::string& folder);

  // Readable only for its owner. Replaces a file of that name as a whole.
  Result<void> write(const std::string& name, std::string_view text) const;
  // After this, all files survive a power cut.
  Result<void> flush() const;

 private:
  FileSet(std::string folder, FileDescriptor descriptor)
      : folder_{std::move(folder)}, descriptor_{std::move(descriptor)} {}

  std::string folder_;
  FileDescriptor descriptor_;
};

}  // namespace fabric::files
