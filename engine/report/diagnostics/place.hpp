// SPDX-License-Identifier: Apache-2.0
// The place of a finding, for all formats.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/source.hpp"

namespace fabric::report {

struct Place {
  bool known = false;  // false for a finding that no line of the document gave
  std::string path;    // as people gave it
  Position begin;
  Position end;  // one behind the last character
};
Place place_of(const SourceMap& sources, SourceRange range);

// The path relative to `root` if it is below it, without "./". `root` may be empty. A relative path
// is relative to `folder`; "" = that is the root.
std::string relative_path(
    std::string_view path, std::string_view root, std::string_view folder = {});

}  // namespace fabric::report
