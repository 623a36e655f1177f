// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/verbs/scaffold.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/files/write.hpp"
#include "engine/schema/catalog.hpp"

namespace fabric::cli {

namespace {

namespace fs = std::filesystem;

std::string_view scaffold_file(std::string_view name) {
  for (const schema::EmbeddedFile& file : scaffold_files()) {
    if (file.name == name) return file.text;
  }
  FABRIC_CHECK(false, "no such file in engine/cli/scaffold");
  return {};
}

// Also a link that leads nowhere is in the way.
bool is_there(const fs::path& path) {
  std::error_code failure;
  return fs::exists(fs::symlink_status(path, failure));
}

// Existing files that would be overwritten, or read as a part of the new document.
std::vector<std::string> in_the_way(
    const fs::path& directory, const std::vector<ScaffoldFile>& files) {
  std::vector<std::string> found;
  for (const ScaffoldFile& file : files) {
    const fs::path path = (directory / file.path).lexically_normal();
    if (is_there(path)) found.push_back(path.string());
  }
  const Result<std::vector<std::string>> documents = document_files(directory.string());
  if (!documents) return found;
  for (const std::string& document : *documents) {
    const bool known = std::any_of(found.begin(), found.end(), [&](const std::string& path) {
      return fs::path{path}.filename() == fs::path{document}.filename();
    });
    if (!known) found.push_back(document);
  }
  return found;
}

// Removes the noted files, last first, unless keep() is called.
class Undo {
 public:
  Undo() = default;
  ~Undo() {
    std::error_code ignored;
    for (auto path = made_.rbegin(); path != made_.rend(); ++path)
      fs::remove(*path, ignored);
  }
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;

  void made(const fs::path& path) { made_.push_back(path); }
  void keep() { made_.clear(); }

 private:
  std::vector<fs::path> made_;
};

Result<void> make_folder(const fs::path& folder, Undo& undo) {
  std::vector<fs::path> missing;
  for (fs::path above = folder; !above.empty() && !is_there(above); above = above.parent_path())
    missing.push_back(above);
  Result<void> made = files::make_folder(folder.string(), files::Readers::everybody);
  for (auto each = missing.rbegin(); each != missing.rend(); ++each)
    undo.made(*each);
  return made;
}

}  // namespace

const std::vector<std::string>& template_names() {
  static const std::vector<std::string> names{
      "ring", "pair", "lag", "infiniband", "fat-tree", "vsphere"};
  return names;
}

std::vector<ScaffoldFile> scaffold(std::string_view name) {
  return {
      {"fabric.yaml", scaffold_file(fmt::format("{}.yaml", name)), "the document"},
      {"schemas/fabric.schema.json", schema::find_schema("fabric"), "its schema, for the editor"},
      {"README.md", scaffold_file("README.md"), "the everyday commands"},
      {".gitignore", scaffold_file("gitignore"), "keeps runs and the lab out of Git"},
      {".github/workflows/fabric.yaml",
       scaffold_file("github.yaml"),
       "GitHub: findings at their lines"},
      {".gitlab-ci.yml", scaffold_file("gitlab.yaml"), "GitLab: findings as JUnit"}};
}

Result<void> write_scaffold(const std::string& directory, const std::vector<ScaffoldFile>& files) {
  const fs::path root{directory};
  const std::vector<std::string> obstacles = in_the_way(root, files);
  if (!obstacles.empty()) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "nothing was written, because {} in the way: {}",
            obstacles.size() == 1 ? "a file is" : "files are",
            join(obstacles, ", "))};
  }
  Undo undo;
  for (const ScaffoldFile& file : files) {
    const fs::path path = (root / file.path).lexically_normal();
    Result<void> done = make_folder(path.parent_path(), undo);
    if (done) done = files::write_file(path.string(), file.text, files::Readers::everybody);
    if (!done) return done;
    undo.made(path);
  }
  undo.keep();
  return {};
}

}  // namespace fabric::cli
