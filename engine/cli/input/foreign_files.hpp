// SPDX-License-Identifier: Apache-2.0
// Files of other tools about a fabric: their formats and their content.
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
// The formats in order of name.
std::vector<ForeignName> foreign_names();

struct ForeignFile {
  std::string format;
  description::Source source;
};
// `format` is one of foreign_names(), or "" to detect it from the content. Fails with
// ErrorCode::invalid, "FILE: line N: ...", if the file has another format, and as
// files::read_argument.
Result<ForeignFile> read_foreign_file(const std::string& path, const std::string& format);

}  // namespace fabric::cli
