// SPDX-License-Identifier: Apache-2.0
// What may stand in a YAML text at all: UTF-8 without control characters. Checked before yaml-cpp
// sees a byte, because it guesses other encodings and takes byte 4 for the end of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fabric::yaml {

struct BadBytes {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string message;
};

// The first bytes that are no UTF-8 or no printable character, or nullopt.
std::optional<BadBytes> find_bad_bytes(std::string_view text);

}  // namespace fabric::yaml
