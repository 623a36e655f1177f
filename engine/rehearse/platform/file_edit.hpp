// SPDX-License-Identifier: Apache-2.0
// FileEdit: a change that a person makes to a file of a node while fabric works there.
#pragma once

#include <cstdint>
#include <string_view>

namespace fabric::rehearse {

// A person who has logged in to a node changes a file that the plan depends on, fabric's or a
// foreign one. `edited`: a further line without meaning; `linked`: the file stands elsewhere now,
// and a link leads there.
struct FileEdit {
  enum class How : std::uint8_t { edited, removed, linked, truncated };
  How how = How::edited;
  // 1: before the first reading of the apply; n: before the (n-1)th step that may change something,
  // at its node; 0 = never.
  std::uint32_t at = 0;
  // It waits until then for a step that is about to write such a file, and takes that one.
  bool aimed = false;
  std::uint64_t which = 0;  // of the files that there are, counted round
};
std::string_view to_string(FileEdit::How how);

}  // namespace fabric::rehearse
