// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/named_file.hpp"

#include <filesystem>
#include <fstream>

#include <sys/stat.h>

#include "tests/support/catch.hpp"
#include "tests/unit/cli/temporary_folder.hpp"

namespace fabric::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = 1'000;

void put(const fs::path& path, const std::string& text) {
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  std::ofstream{path} << text;
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
}

ErrorCode refusal(const std::string& path, const OperatorFile& expected) {
  const Result<std::string> read = read_operator_file(path, expected, kMost);
  REQUIRE_FALSE(read);
  CHECK(read.error().message.find("s3cret") == std::string::npos);
  return read.error().code;
}

}  // namespace

TEST_CASE("a document names files beneath its folder, wherever links lead", "[cli]") {
  const test::TemporaryFolder folder;
  put("outside/secret", "s3cret");
  put("doc/images/fw.bin", "image");
  fs::create_symlink("images/fw.bin", "doc/link");
  fs::create_symlink(fs::absolute("doc/images"), "doc/absolute");
  fs::create_symlink("../outside/secret", "doc/leads-out");
  fs::create_symlink("../outside", "doc/folder-out");
  fs::create_symlink("/proc/self/environ", "doc/magic");
  REQUIRE(mkfifo("doc/pipe", 0600) == 0);
  const auto read = [](const std::string& path, bool trusted = false) {
    return read_named_file("doc", path, trusted, kMost);
  };
  for (const std::string& path :
       {std::string{"doc/images/fw.bin"},
        std::string{"doc/link"},
        std::string{"doc/absolute/fw.bin"},
        std::string{"doc/images/../images/fw.bin"},
        fs::absolute("doc/images/fw.bin").string()}) {
    CAPTURE(path);
    const auto text = read(path);
    REQUIRE(text);
    CHECK(*text == "image");
  }
  for (const std::string& path :
       {std::string{"doc/../outside/secret"},
        std::string{"outside/secret"},
        std::string{"doc/leads-out"},
        std::string{"doc/folder-out/secret"},
        std::string{"doc/magic"},
        std::string{"/proc/self/environ"},
        fs::absolute("outside/secret").string()}) {
    CAPTURE(path);
    REQUIRE_FALSE(read(path));
    CHECK(read(path).error().code == ErrorCode::forbidden);
  }
  CHECK(*read("doc/leads-out", true) == "s3cret");
  CHECK(read("doc/pipe").error().code == ErrorCode::invalid);
  CHECK(read("doc/pipe", true).error().code == ErrorCode::invalid);
  CHECK(read("doc/missing").error().code == ErrorCode::not_found);
  CHECK(read("doc/images").error().code == ErrorCode::invalid);
  put("doc/large", std::string(kMost + 1, 'x'));
  CHECK(read("doc/large").error().code == ErrorCode::invalid);
  CHECK(*read_named_file("", "doc/link", false, kMost) == "image");
}

TEST_CASE("a file of the operator is outside of the tree, a file, and nobody else's", "[cli]") {
  const test::TemporaryFolder folder;
  put("tree/document/creds", "s3cret");
  put("operator/creds", "s3cret");
  const OperatorFile expected{"--credentials", 077, false, false, {"tree"}};
  CHECK(*read_operator_file("operator/creds", expected, kMost) == "s3cret");
  CHECK(*read_operator_file("tree/../operator/creds", expected, kMost) == "s3cret");
  CHECK(refusal("tree/document/creds", expected) == ErrorCode::forbidden);
  // Who changes the tree decides where this leads.
  fs::create_symlink("../operator", "tree/to-operator");
  CHECK(refusal("tree/to-operator/creds", expected) == ErrorCode::forbidden);
  fs::create_symlink("../tree/document", "operator/into");
  CHECK(refusal("operator/into/creds", expected) == ErrorCode::forbidden);
  fs::create_symlink("creds", "operator/link");
  CHECK(refusal("operator/link", expected) == ErrorCode::forbidden);
  for (const mode_t mode : {0640U, 0604U, 0660U, 0644U}) {
    chmod("operator/creds", mode);
    CHECK(refusal("operator/creds", expected) == ErrorCode::forbidden);
  }
  chmod("operator/creds", 0400);
  CHECK(read_operator_file("operator/creds", expected, kMost));
  REQUIRE(mkfifo("operator/pipe", 0600) == 0);
  CHECK(refusal("operator/pipe", expected) == ErrorCode::invalid);
  CHECK(refusal("operator", expected) == ErrorCode::invalid);
  CHECK(refusal("operator/missing", expected) == ErrorCode::not_found);
}

TEST_CASE("keys may be read by others and changed by none", "[cli]") {
  const test::TemporaryFolder folder;
  put("operator/keys.pem", "key");
  const OperatorFile expected{"--trusted-keys", 022, true, true, {}};
  fs::create_symlink("keys.pem", "operator/link");
  for (const mode_t mode : {0644U, 0600U, 0444U}) {
    chmod("operator/keys.pem", mode);
    CHECK(*read_operator_file("operator/link", expected, kMost) == "key");
  }
  for (const mode_t mode : {0664U, 0646U, 0666U}) {
    chmod("operator/keys.pem", mode);
    CHECK(refusal("operator/keys.pem", expected) == ErrorCode::forbidden);
  }
}

TEST_CASE("a working tree reaches as far up as its outermost repository", "[cli]") {
  const test::TemporaryFolder folder;
  const std::string here = fs::canonical(".").string();
  fs::create_directories("repository/.git");
  fs::create_directories("repository/module/fabrics/a");
  put("repository/module/.git", "gitdir: ../.git/modules/module");
  fs::create_directories("plain");
  CHECK(working_tree("repository/module/fabrics/a") == here + "/repository");
  CHECK(working_tree("plain") == here + "/plain");
  CHECK_FALSE(repository_of("plain"));
}

}  // namespace fabric::cli
