// SPDX-License-Identifier: Apache-2.0
// LabDirectory: the files of a running lab, and its lock.
#pragma once

#include <string>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/result.hpp"
#include "engine/labserver/lab_service.hpp"

namespace fabric::labserver {

class LabDirectory {
 public:
  // Makes the directory (mode 0700) if it is missing and locks it for the life of the object: the
  // lock of a killed process ends with it, whatever files it left. Fails with ErrorCode::locked, or
  // invalid if the directory can't be made.
  static Result<LabDirectory> lock(const std::string& directory);
  // True if a process holds the lock.
  static bool is_locked(const std::string& directory);

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  // Atomic: a reader of lab.json sees the whole file.
  Result<void> write(const LabInfo& info) const;
  // Removes the lab's files and releases the lock.
  void clear();

 private:
  LabDirectory(std::string path, FileDescriptor lock)
      : path_{std::move(path)}, lock_{std::move(lock)} {}

  std::string path_;  // absolute
  FileDescriptor lock_;
};

inline constexpr const char* kInfoFile = "lab.json";
inline constexpr const char* kIdentityFile = "id_ed25519";
inline constexpr const char* kKnownHostsFile = "known_hosts";
inline constexpr const char* kSocketFile = "control";

}  // namespace fabric::labserver
