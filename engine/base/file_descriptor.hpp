// SPDX-License-Identifier: Apache-2.0
// FileDescriptor: owns a file descriptor and closes it.
#pragma once

#include <utility>

#include <unistd.h>

namespace fabric {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor_{descriptor} {}
  ~FileDescriptor() { close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_{other.release()} {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  int release() { return std::exchange(descriptor_, -1); }
  void close() {
    if (descriptor_ >= 0) ::close(release());
  }

 private:
  int descriptor_ = -1;
};

// Raises this process's limit of open files as far as the system lets it: a session takes one, and
// the usual limit of 1024 is less than a large fabric has nodes.
void raise_descriptor_limit();

}  // namespace fabric
