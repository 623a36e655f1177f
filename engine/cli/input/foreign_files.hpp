// SPDX-License-Identifier: Apache-2.0
// Files of other tools about a fabric: their formats and their contents.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/description/merge.hpp"

namespace fabric::cli {

struct ForeignName {
  std::string name;     // of --from
  std::string summary;  // "ibdm topology (.topo)"
};
// In order of name.
std::vector<ForeignName> foreign_names();

struct ForeignFile {
  std::string format;
  description::Source source;
};
// `format` is one of foreign_names(), or "" to go by what is in the file. Fails with
// ErrorCode::invalid, "FILE: line N: ...", where it is not of that format, and as
// files::read_argument.
Result<ForeignFile> read_foreign_file(const std::string& path, const std::string& format);

}  // namespace fabric::cli
