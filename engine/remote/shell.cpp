// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/shell.hpp"

#include <algorithm>

namespace fabric::remote {

std::string quote(std::string_view word) {
  const auto harmless = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"-_./:,@%+="}.find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), harmless)) return std::string{word};
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string command_line(const Argv& argv) {
  std::string line;
  for (const Word& word : argv) {
    if (!line.empty()) line += ' ';
    line += quote(word);
  }
  return line;
}

}  // namespace fabric::remote
