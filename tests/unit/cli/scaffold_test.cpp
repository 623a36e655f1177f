// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/verbs/scaffold.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "engine/yaml/parse.hpp"

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
  CHECK(written.error().message == "nothing was written, because a file is in the way: .gitignore");
  CHECK(files_below(".") == 1);
}

std::string workflow_file(std::string_view path) {
  for (const ScaffoldFile& file : scaffold("ring")) {
    if (file.path == path) return std::string{file.text};
  }
  return {};
}

yaml::Node parsed(SourceMap& sources, const std::string& text) {
  Diagnostics problems;
  yaml::Node root = yaml::parse(sources, sources.add("ci.yaml", text), problems);
  REQUIRE_FALSE(problems.has_errors());
  return root;
}

// Every text of the tree, keys too.
void collect(const yaml::Node& node, std::vector<std::string>& texts) {
  texts.push_back(node.text);
  for (const yaml::Node& item : node.items)
    collect(item, texts);
  for (const yaml::Entry& entry : node.entries) {
    texts.push_back(entry.key);
    collect(entry.value, texts);
  }
}

std::vector<std::string> texts_of(const yaml::Node& node) {
  std::vector<std::string> texts;
  collect(node, texts);
  return texts;
}

bool says(const yaml::Node& node, std::string_view what) {
  const std::vector<std::string> texts = texts_of(node);
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return text.find(what) != std::string::npos;
  });
}

TEST_CASE("the workflow for GitHub gives a fork nothing", "[cli]") {
  const std::string text = workflow_file(".github/workflows/fabric.yaml");
  SourceMap sources;
  const yaml::Node root = parsed(sources, text);
  CHECK(root.find("on")->find_entry("pull_request") != nullptr);
  CHECK_FALSE(says(root, "pull_request_target"));
  CHECK_FALSE(says(root, "secrets."));
  CHECK_FALSE(says(root, "trust-document"));
  CHECK_FALSE(says(root, "TRUST_DOCUMENT"));
  const yaml::Node* permissions = root.find("permissions");
  REQUIRE(permissions != nullptr);
  REQUIRE(permissions->entries.size() == 1);
  CHECK(permissions->find("contents")->text == "read");
  for (const yaml::Entry& job : root.find("jobs")->entries) {
    CAPTURE(job.key);
    CHECK(job.value.find("permissions") == nullptr);
    if (!says(*job.value.find("runs-on"), "self-hosted")) continue;
    CHECK(job.value.find("environment") != nullptr);
    REQUIRE(job.value.find("if") != nullptr);
    // No pull request of a fork starts it: it is of this repository, or no pull request at all.
    const std::string& when = job.value.find("if")->text;
    const bool is_of_here =
        when.find("github.event.pull_request.head.repo.full_name == github.repository") !=
        std::string::npos;
    const bool is_no_request = when.starts_with("github.event_name == 'push' && ") ||
                               when == "github.event_name == 'schedule'";
    CHECK((is_of_here || is_no_request));
    CHECK((!says(job.value, "fabric --no-input apply") || is_no_request));
  }
  CHECK_FALSE(says(*root.find("jobs")->find("validate"), "self-hosted"));
  // Each action by its commit, with the tag for people.
  const std::regex pinned{R"(uses: [\w./-]+@[0-9a-f]{40}  # v\d+(\.\d+)*)"};
  std::size_t used = 0;
  for (std::size_t at = text.find("uses:"); at != std::string::npos;
       at = text.find("uses:", at + 1), ++used)
    CHECK(std::regex_match(text.substr(at, text.find('\n', at) - at), pinned));
  CHECK(used > 0);
}

TEST_CASE("the workflow for GitLab reaches nodes from the protected branch alone", "[cli]") {
  SourceMap sources;
  const yaml::Node root = parsed(sources, workflow_file(".gitlab-ci.yml"));
  CHECK(root.find("validate")->find("tags") == nullptr);
  CHECK_FALSE(says(*root.find("validate"), "fabric plan"));
  CHECK_FALSE(says(root, "trust-document"));
  for (const char* name : {"plan", "apply", "drift"}) {
    CAPTURE(name);
    const yaml::Node* job = root.find(name);
    REQUIRE(job != nullptr);
    CHECK(job->find("environment") != nullptr);
    const yaml::Node* rules = job->find("rules");
    REQUIRE(rules->items.size() == 1);
    const std::string when = rules->items.front().find("if")->text;
    CHECK(when.find("$CI_COMMIT_REF_PROTECTED == \"true\"") != std::string::npos);
    CHECK(when.find("merge_request") == std::string::npos);
  }
  // Somebody has read the plan that it does.
  CHECK(root.find("apply")->find("rules")->items.front().find("when")->text == "manual");
}

}  // namespace
}  // namespace fabric::cli
