#include "engine/cli/verbs/scaffold.hpp"

#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/unit/cli/temporary_folder.hpp"

namespace fabric::cli {
namespace {

namespace fs = std::filesystem;

std::size_t files_below(const fs::path& folder) {
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator{folder})
    count += entry.is_directory() ? 0U : 1U;
  return count;
}

TEST_CASE("every template says what to change and points at the schema beside it", "[cli]") {
  for (const std::string& name : template_names()) {
    CAPTURE(name);
    const std::vector<ScaffoldFile> files = scaffold(name);
    REQUIRE(files.front().path == "fabric.yaml");
    CHECK(files.front().text.starts_with(
        "# yaml-language-server: $schema=schemas/fabric.schema.json\n"));
    CHECK(files.front().text.find("# CHANGE") != std::string_view::npos);
    for (const ScaffoldFile& file : files)
      CHECK_FALSE(file.text.empty());
  }
}

TEST_CASE("what cannot be written as a whole leaves nothing behind", "[cli]") {
  const test::TemporaryFolder folder;
  std::vector<ScaffoldFile> files = scaffold("ring");
  // A file where the last entry needs a folder.
  files.push_back({"fabric.yaml/below", "text", "cannot be"});
  CHECK_FALSE(write_scaffold("new", files));
  CHECK_FALSE(fs::exists("new"));
}

TEST_CASE("a file in the way stops everything, even a link that leads nowhere", "[cli]") {
  const test::TemporaryFolder folder;
  fs::create_symlink("nowhere", ".gitignore");
  const Result<void> written = write_scaffold(".", scaffold("ring"));
  REQUIRE_FALSE(written);
  CHECK(written.error().message == "nothing was written, for a file is in the way: .gitignore");
  CHECK(files_below(".") == 1);
}

}  // namespace
}  // namespace fabric::cli
