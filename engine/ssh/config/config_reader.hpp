// SPDX-License-Identifier: Apache-2.0
// ConfigReader: files of ssh_config syntax, with Include, into the entries of a Config.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/limits.hpp"
#include "engine/base/result.hpp"
#include "engine/ssh/config/config.hpp"

namespace fabric::ssh {

class ConfigReader {
 public:
  ConfigReader(Config& config, std::string home) : config_{config}, home_{std::move(home)} {}

  // `outer`: the conditions under which this file was included.
  Result<void> read_file(const std::string& path, std::vector<std::size_t> outer, int depth);

 private:
  struct File {
    std::vector<std::size_t> outer;
    std::vector<std::size_t> current;  // outer and the block we are in
    int depth = 0;
  };

  Result<void> read_line(std::string_view line, const std::string& place, File& file);
  Result<void> include(
      const std::vector<std::string>& arguments, const std::string& place, const File& file);
  Result<void> begin_host(std::vector<std::string> patterns, const std::string& place, File& file);
  Result<void> begin_match(
      const std::vector<std::string>& words, const std::string& place, File& file);
  void begin(Config::Condition condition, File& file);

  Config& config_;
  std::string home_;
  // Of all files together, however they include each other.
  std::size_t files_ = 0;
  std::size_t bytes_left_ = limits::kSshConfigBytes;
};

}  // namespace fabric::ssh
