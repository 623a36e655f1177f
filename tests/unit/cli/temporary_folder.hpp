// SPDX-License-Identifier: Apache-2.0
// A folder of its own for a test, which is the current one while it lives.
#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include <stdlib.h>  // mkdtemp is POSIX

namespace fabric::cli::test {

class TemporaryFolder {
 public:
  TemporaryFolder() : before_{std::filesystem::current_path()} {
    std::string pattern = (std::filesystem::temp_directory_path() / "fabric-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    std::filesystem::current_path(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  static void write(const std::string& path, const std::string& text) {
    const std::filesystem::path parent = std::filesystem::path{path}.parent_path();
    if (!parent.empty()) std::filesystem::create_directories(parent);
    std::ofstream{path} << text;
  }

 private:
  std::filesystem::path before_;
  std::filesystem::path path_;
};

}  // namespace fabric::cli::test
