// SPDX-License-Identifier: Apache-2.0
// FileEdit: a change that a person makes to a file of a node while fabric works there.
#pragma once

#include <cstdint>
#include <string_view>

namespace fabric::rehearse {

// A person who has logged in to a node changes a file that the plan depends on, fabric's or a
// foreign one. `edited`: adds a line without meaning; `linked`: moves the file and links to it.
struct FileEdit {
  enum class How : std::uint8_t { edited, removed, linked, truncated };
  How how = How::edited;
  // 1: before the first reading of the apply; n: before the (n-1)th changing step, on its node; 0 =
  // never.
  std::uint32_t at = 0;
  // The edit waits for a step that writes such a file, and takes that file.
  bool aimed = false;
  std::uint64_t which = 0;  // of the files that there are, counted round
};
std::string_view to_string(FileEdit::How how);

}  // namespace fabric::rehearse
