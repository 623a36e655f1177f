#include "engine/cli/state/document.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/value/digest.hpp"

namespace fabric::cli {

namespace {

namespace fs = std::filesystem;

bool is_document_file(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string extension = path.extension().string();
  if (name.empty() || name.front() == '.' || name == "lab.yaml" || name == "lab.yml") return false;
  return extension == ".yaml" || extension == ".yml";
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
    // What the user wrote, without "./" in front of every place in every message.
    files.push_back(path == "." ? entry->path().filename().string() : entry->path().string());
  }
  if (failure) return Error{ErrorCode::denied, fmt::format("{}: {}", path, failure.message())};
  if (files.empty()) {
    return Error{
        ErrorCode::not_found,
        fmt::format("{}: expected a document (*.yaml), found none in this directory", path)};
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::unique_ptr<Document>> load_files(const std::vector<std::string>& files) {
  auto document = std::make_unique<Document>();
  for (const std::string& file : files) {
    std::string text = FABRIC_TRY(read_text_file(file, limits::kDocumentBytes));
    document->inputs.push_back({file, sha256(std::string_view{text})});
    document->files.push_back(document->sources.add(file, std::move(text)));
  }
  document->folder = files.empty() ? "." : fs::path{files.front()}.parent_path().string();
  document->loaded = load_document(document->sources, document->files);
  return document;
}

Result<std::unique_ptr<Document>> load_path(const std::string& path) {
  return load_files(FABRIC_TRY(document_files(path)));
}

const Document& keep(std::unique_ptr<Document> document) {
  // Never destroyed itself, so that a leak checker finds what it holds. Nobody else reaches it.
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
  static auto& kept = *new std::vector<const Document*>;
  kept.push_back(document.release());
  return *kept.back();
}

}  // namespace fabric::cli
