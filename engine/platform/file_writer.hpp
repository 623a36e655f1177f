// SPDX-License-Identifier: Apache-2.0
// FileWriter: writes, copies and removes files on a platform. The steps it names are idempotent:
// each may be sent again until it has ended well.
#pragma once

#include "engine/remote/step.hpp"

namespace fabric::platform {

class FileWriter {
 public:
  FileWriter() = default;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  virtual ~FileWriter() = default;

  // A reader sees the old file or the new one, whenever the node loses its power.
  virtual remote::Step write(const remote::step::WriteFile& file) const = 0;
  virtual remote::Step copy(const remote::step::CopyFile& file) const = 0;
  // Succeeds if the file is not there.
  virtual remote::Step remove(const remote::step::RemoveFile& file) const = 0;
};

}  // namespace fabric::platform
