// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/document.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/files/read.hpp"
#include "engine/provider/registry.hpp"
#include "engine/value/digest.hpp"
#include "engine/workflow/wanted.hpp"
#include "providers/builtin.hpp"

namespace fabric::cli {

namespace {

namespace fs = std::filesystem;

bool is_document_file(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string extension = path.extension().string();
  if (name.empty() || name.front() == '.' || name == "lab.yaml" || name == "lab.yml") return false;
  return extension == ".yaml" || extension == ".yml";
}

bool is_pipe(const std::string& path) {
  std::error_code failure;
  return fs::symlink_status(path, failure).type() == fs::file_type::fifo;
}

Result<std::string> read_beneath_its_directory(const std::string& file, std::size_t bytes_max) {
  const fs::path path{file};
  return files::read_beneath(path.parent_path().string(), path.filename().string(), bytes_max);
}

using ReadText = Result<std::string> (*)(const std::string& file, std::size_t bytes_max);

Result<std::string> read_named(const std::string& file, std::size_t bytes_max) {
  if (files::is_open_file(file) || is_pipe(file)) return files::read_argument(file, bytes_max);
  return read_beneath_its_directory(file, bytes_max);
}

// The texts as inputs and sources of a document that is not looked at yet.
Result<std::unique_ptr<Document>> read_texts(
    const std::vector<std::string>& files,
    ReadText read,
    const std::vector<std::string>& names = {}) {
  auto document = std::make_unique<Document>();
  std::size_t bytes = 0;
  for (const std::string& file : files) {
    const std::string& name = names.empty() ? file : names[document->files.size()];
    std::string text = FABRIC_TRY(read(file, limits::kDocumentBytes));
    bytes += text.size();
    if (bytes > limits::kDocumentBytes) {
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{}: expected at most {} bytes in all files of the document",
              file,
              limits::kDocumentBytes)};
    }
    document->inputs.push_back({file, sha256(std::string_view{text})});
    document->files.push_back(document->sources.add(name, std::move(text)));
  }
  document->folder = files.empty() ? "." : fs::path{files.front()}.parent_path().string();
  return document;
}

std::unique_ptr<Document> loaded(std::unique_ptr<Document> document) {
  document->loaded = load_document(document->sources, document->files);
  Registry registry;
  providers::add_builtin_providers(registry);
  document->loaded.spec.reached = registry.platforms();
  return document;
}

}  // namespace

Result<std::vector<std::string>> document_files(const std::string& path) {
  std::error_code failure;
  if (!fs::is_directory(path, failure)) {
    if (!fs::exists(path, failure)) {
      return Error{ErrorCode::not_found, fmt::format("{}: no such file or directory", path)};
    }
    return std::vector<std::string>{path};
  }
  std::vector<std::string> files;
  for (fs::directory_iterator entry{path, failure}, end; !failure && entry != end;
       entry.increment(failure)) {
    if (!is_document_file(entry->path())) continue;
    const fs::file_type type = entry->symlink_status(failure).type();
    if (type != fs::file_type::regular && type != fs::file_type::symlink) {
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{}: expected a file, found {}",
              entry->path().string(),
              type == fs::file_type::directory ? "a directory" : "a pipe, a socket or a device")};
    }
    // As the user wrote it, without "./" at the start of every path in every message.
    files.push_back(path == "." ? entry->path().filename().string() : entry->path().string());
  }
  if (failure) return Error{ErrorCode::denied, fmt::format("{}: {}", path, failure.message())};
  if (files.empty()) {
    return Error{
        ErrorCode::not_found,
        fmt::format(
            "{}: expected a document (*.yaml), found none in this directory; begin with: fabric "
            "init",
            path)};
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::unique_ptr<Document>> load_files(const std::vector<std::string>& files) {
  return loaded(FABRIC_TRY(read_texts(files, read_named)));
}

Result<std::unique_ptr<Document>> load_inputs(
    const std::vector<plans::InputFile>& inputs, const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const plans::InputFile& input : inputs)
    files.push_back(input.path);
  std::unique_ptr<Document> document =
      FABRIC_TRY(read_texts(files, read_beneath_its_directory, names));
  FABRIC_TRY(workflow::check_inputs(inputs, *document));
  return loaded(std::move(document));
}

Result<std::unique_ptr<Document>> load_path(const std::string& path) {
  return load_files(FABRIC_TRY(document_files(path)));
}

const Document& keep(std::unique_ptr<Document> document) {
  // Never destroyed, so that a leak checker finds its documents. Only this function uses it.
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
  static auto& kept = *new std::vector<const Document*>;
  kept.push_back(document.release());
  return *kept.back();
}

}  // namespace fabric::cli
