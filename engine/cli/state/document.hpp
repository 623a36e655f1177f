// The document of a command line: which files it is, and what they say.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/workflow/document.hpp"

namespace fabric::cli {

using workflow::Document;

// PATH is a file, or a directory: every *.yaml and *.yml directly in it except lab.yaml and
// dotfiles, sorted. Fails with ErrorCode::not_found if there is none, invalid if a file is too
// large.
Result<std::vector<std::string>> document_files(const std::string& path);

Result<std::unique_ptr<Document>> load_files(const std::vector<std::string>& files);
Result<std::unique_ptr<Document>> load_path(const std::string& path);
// Keeps a document to the end of the process. Nothing is gained by taking 10,000 nodes apart one by
// one just before the exit, and for `validate` that is a tenth of its time.
const Document& keep(std::unique_ptr<Document> document);

// The whole text. Fails with ErrorCode::not_found, denied or invalid (beyond `bytes_max`).
Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max);
// Replaces the file as a whole: written beside it, flushed, renamed.
Result<void> write_text_file(const std::string& path, std::string_view text);

}  // namespace fabric::cli
