// SPDX-License-Identifier: Apache-2.0
// The difference of two texts in lines, as `diff -u` prints it.
#pragma once

#include <string>
#include <string_view>

namespace fabric::report {

// With three lines of context and `path` in both headers; "" for equal texts. If very many lines
// differ, one hunk replaces the whole text.
std::string unified_diff(std::string_view path, std::string_view before, std::string_view after);

}  // namespace fabric::report
