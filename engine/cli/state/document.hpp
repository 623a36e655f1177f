// SPDX-License-Identifier: Apache-2.0
// The document of a command line: its files and their content.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/workflow/document.hpp"
#include "plans/plan.hpp"

namespace fabric::cli {

using workflow::Document;

// PATH is a file, or a directory: every *.yaml and *.yml directly in it except lab.yaml and
// dotfiles, sorted. Fails with ErrorCode::not_found if there is none, invalid if one of the
// directory is a pipe, a socket or a device.
Result<std::vector<std::string>> document_files(const std::string& path);

// Reads the files that document_files() has found. Each is opened beneath its directory: a link
// that leads out of it is refused (ErrorCode::invalid), because the author of the document may have
// made it. A pipe that a user has named is read to its end.
Result<std::unique_ptr<Document>> load_files(const std::vector<std::string>& files);
Result<std::unique_ptr<Document>> load_path(const std::string& path);
// Reads the inputs of a plan. Only regular files are read, and no text is parsed before its digest
// equals that in the plan: fails with ErrorCode::stale. `names`: shown in place of the paths.
Result<std::unique_ptr<Document>> load_inputs(
    const std::vector<plans::InputFile>& inputs, const std::vector<std::string>& names = {});
// Keeps a document to the end of the process: freeing 10,000 nodes one by one just before the exit
// would take `validate` a tenth of its time.
const Document& keep(std::unique_ptr<Document> document);

// The whole text of a regular file, beneath `.fabric` through no link (folders.hpp); see
// engine/files/read.hpp, which also has the reader of a user's arguments.
Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max);
// Replaces the file as a whole, readable for its owner alone (engine/files/write.hpp); beneath
// `.fabric` no link.
Result<void> write_text_file(const std::string& path, std::string_view text);

}  // namespace fabric::cli
