// SPDX-License-Identifier: Apache-2.0
// Two texts line by line, as `diff -u` shows them.
#pragma once

#include <string>
#include <string_view>

namespace fabric::report {

// With three lines of context and `path` in both headers; "" for equal texts. Where the texts
// differ in very many lines, one hunk replaces all of them.
std::string unified_diff(std::string_view path, std::string_view before, std::string_view after);

}  // namespace fabric::report
