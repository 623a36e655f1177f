// SPDX-License-Identifier: Apache-2.0
// Scaffold: the files that `fabric init` writes, as values; the files themselves are in scaffold/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/schema/embedded.hpp"

namespace fabric::cli {

// The files of scaffold/, in order of name.
const std::vector<schema::EmbeddedFile>& scaffold_files();

struct ScaffoldFile {
  std::string path;  // below the new repository, "/" between folders
  std::string_view text;
  std::string_view purpose;  // for people: "the document"
};

// "ring", "pair", ...: the names that scaffold() takes, the default first.
const std::vector<std::string>& template_names();

// Every file of a new repository. REQUIRES: `name` is one of template_names().
std::vector<ScaffoldFile> scaffold(std::string_view name);

// Writes all files below `directory`, which is made if it is missing, or none: files written before
// a failure are removed again. Fails with ErrorCode::invalid if files exist already (all are
// named), denied or not_found as the file system says.
Result<void> write_scaffold(const std::string& directory, const std::vector<ScaffoldFile>& files);

}  // namespace fabric::cli
