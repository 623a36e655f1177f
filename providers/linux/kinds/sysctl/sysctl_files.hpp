// SPDX-License-Identifier: Apache-2.0
// Files of sysctl.d: what they assign, and what those of ours tell of the time before them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/platform/owned_file.hpp"

namespace fabric::providers {

// Runs of blanks count as one.
std::string normalised(std::string_view value);

struct Assignment {
  std::string path;  // of the key
  std::string value;
  std::size_t line = 1;
};

// "key = value", "-key=value" (failure ignored); comments by # and ;
std::vector<Assignment> assignments_of(std::string_view text);

// A file of ours assigns the key, however it spells it.
bool is_set_by_us(const FileTexts& files, std::string_view key);

// What was in force before the first of our files that sets the key, whichever that is; nothing if
// none of them tells. Another file of ours may have set it before `own` did.
std::optional<std::string> recorded_before(
    const FileTexts& files, const std::string& own, std::string_view key);

}  // namespace fabric::providers
