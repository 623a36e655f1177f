// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/cli/input/facts_io.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/run_folder.hpp"
#include "engine/execute/journal/journal.hpp"
#include "engine/files/place.hpp"
#include "engine/files/read.hpp"
#include "engine/files/write.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/cli/temporary_folder.hpp"

namespace fabric::cli::test {

namespace {

NodeName node(const std::string& name) {
  return *NodeName::parse(name);
}

}  // namespace

TEST_CASE(
    "a directory is its YAML files, without lab.yaml, dotfiles and what lies deeper", "[cli]") {
  const TemporaryFolder folder;
  for (const char* file :
       {"b.yaml", "a.yml", "lab.yaml", ".hidden.yaml", "notes.txt", "deep/c.yaml"}) {
    TemporaryFolder::write(file, "x: 1\n");
  }
  CHECK(*document_files(".") == std::vector<std::string>{"a.yml", "b.yaml"});
  CHECK(*document_files("deep") == std::vector<std::string>{"deep/c.yaml"});
  CHECK(*document_files("lab.yaml") == std::vector<std::string>{"lab.yaml"});  // named: meant
}

TEST_CASE("no document is an error that says what was expected", "[cli]") {
  const TemporaryFolder folder;
  CHECK(
      document_files(".").error().message ==
      ".: expected a document (*.yaml), found none in this directory; begin with: fabric init");
  CHECK(document_files("nowhere").error().code == ErrorCode::not_found);
  CHECK(read_text_file(".", 10).error().code == ErrorCode::invalid);
  TemporaryFolder::write("big", "0123456789a");
  CHECK(read_text_file("big", 10).error().message == "big: expected at most 10 bytes");
}

TEST_CASE("a file is replaced as a whole", "[cli]") {
  const TemporaryFolder folder;
  TemporaryFolder::write("plan", "a longer text than the new one");
  REQUIRE(write_text_file("plan", "new\n"));
  CHECK(*read_text_file("plan", 100) == "new\n");
  CHECK(std::distance(std::filesystem::directory_iterator{"."}, {}) == 1);
  CHECK(write_text_file("missing/plan", "x").error().code == ErrorCode::not_found);
}

TEST_CASE("facts come back as they were saved; a node without a file was not reached", "[cli]") {
  const TemporaryFolder folder;
  NodeFacts facts{node("pve1"), {}, "SHA256:abc", "2026-01-01T00:00:00.000Z", {}};
  facts.probes["pci"] = {"cat x", 0, "out\n", ""};
  REQUIRE(save_facts("facts", {facts}));
  const auto loaded = saved_facts("facts", {node("pve1"), node("pve2")});
  REQUIRE(loaded);
  REQUIRE(loaded->size() == 2);
  CHECK((*loaded)[0].probes == facts.probes);
  CHECK((*loaded)[0].host_key_fingerprint == "SHA256:abc");
  CHECK((*loaded)[1].failure->message == "no saved facts in facts/pve2.json");
  CHECK(saved_facts("nowhere", {}).error().code == ErrorCode::not_found);
  TemporaryFolder::write("facts/pve2.json", "{");
  CHECK(saved_facts("facts", {node("pve2")}).error().message.find("facts/pve2.json: line 1") == 0);
}

TEST_CASE("one apply at a time, and the second is told who is at work", "[cli]") {
  const TemporaryFolder folder;
  auto first = RunLock::acquire();
  REQUIRE(first);
  const auto second = RunLock::acquire();
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::locked);
  CHECK(second.error().message.find("process " + std::to_string(getpid())) != std::string::npos);
  first->reset();
  CHECK(RunLock::acquire().has_value());
}

TEST_CASE("a journal is appended line by line and never overwritten", "[cli]") {
  const TemporaryFolder folder;
  auto file = FileJournal::create("journal.jsonl");
  REQUIRE(file);
  execute::DurableSink journal{**file};
  REQUIRE(journal.append("{\"event\":1}"));
  REQUIRE(journal.append("{\"event\":2}"));
  CHECK(*read_text_file("journal.jsonl", 100) == "{\"event\":1}\n{\"event\":2}\n");
  CHECK_FALSE(FileJournal::create("journal.jsonl"));
}

TEST_CASE("who may read a file does not depend on the umask", "[cli]") {
  const TemporaryFolder folder;
  const auto mode = [](const std::string& path) {
    struct stat found {};
    return stat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0U;
  };
  for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{0277}}) {
    const mode_t before = umask(mask);
    const std::string name = std::to_string(mask);
    REQUIRE(write_text_file("plan" + name, "x"));
    REQUIRE(save_facts("facts" + name, {NodeFacts{node("pve1"), {}, {}, {}, {}}}));
    REQUIRE(FileJournal::create("journal" + name));
    umask(before);
    CHECK(mode("plan" + name) == 0600U);
    CHECK(mode("facts" + name) == 0700U);
    CHECK(mode("facts" + name + "/pve1.json") == 0600U);
    CHECK(mode("journal" + name) == 0600U);
  }
  // What somebody else could read is what a new one replaces.
  TemporaryFolder::write("there", "x");
  REQUIRE(chmod("there", 0666) == 0);
  REQUIRE(save_facts("facts0", {NodeFacts{node("pve1"), {}, {}, {}, {}}}));
  REQUIRE(chmod("facts0/pve1.json", 0644) == 0);
  const mode_t before = umask(0);
  REQUIRE(write_text_file("there", "x"));
  REQUIRE(save_facts("facts0", {NodeFacts{node("pve1"), {}, {}, {}, {}}}));
  CHECK(mode("there") == 0600U);
  CHECK(mode("facts0/pve1.json") == 0600U);
  REQUIRE(RunLock::acquire());
  REQUIRE(files::write_file("document", "x", files::Readers::everybody));
  umask(before);
  CHECK(mode(".fabric") == 0700U);
  CHECK(mode(".fabric/lock") == 0600U);
  CHECK(mode("document") == 0644U);
  // What a user has made his own stays his own.
  REQUIRE(chmod("document", 0600) == 0);
  REQUIRE(files::write_file("document", "y", files::Readers::everybody));
  CHECK(mode("document") == 0600U);
}

TEST_CASE("no link is followed to a file of somebody else", "[cli]") {
  const TemporaryFolder folder;
  TemporaryFolder::write("precious", "text\n");
  const auto unharmed = [] {
    return *read_text_file("precious", 100) == "text\n";
  };
  std::filesystem::create_symlink("precious", "plan");
  REQUIRE(write_text_file("plan", "new\n"));
  CHECK(unharmed());
  CHECK_FALSE(std::filesystem::is_symlink("plan"));
  // The name of the temporary may be known: whoever has made a link there is passed by.
  std::filesystem::create_symlink("precious", ".plan.new-" + std::to_string(getpid()) + "-0");
  REQUIRE(write_text_file("plan", "newer\n"));
  CHECK(unharmed());
  std::filesystem::create_directory(".fabric");
  std::filesystem::create_symlink("../precious", ".fabric/lock");
  CHECK(RunLock::acquire().error().message.find("found a symbolic link") != std::string::npos);
  CHECK(unharmed());
  std::filesystem::remove(".fabric/lock");
  std::filesystem::create_hard_link("precious", ".fabric/lock");
  CHECK(RunLock::acquire().error().code == ErrorCode::denied);
  CHECK(unharmed());
  std::filesystem::create_symlink("precious", "journal.jsonl");
  CHECK_FALSE(FileJournal::create("journal.jsonl"));
  CHECK(unharmed());
  std::filesystem::remove_all(".fabric");
  std::filesystem::create_directory("elsewhere");
  std::filesystem::create_symlink("elsewhere", ".fabric");
  CHECK(RunLock::acquire().error().code == ErrorCode::denied);
  CHECK(make_run_folder("20261120T101227Z-3f9c").error().code == ErrorCode::denied);
  CHECK(std::filesystem::is_empty("elsewhere"));
}

TEST_CASE("no link of the working directory leads anywhere, and those elsewhere do", "[cli]") {
  namespace fs = std::filesystem;
  const TemporaryFolder outside;
  const std::string there = fs::current_path().string();
  TemporaryFolder::write("there/plan", "theirs\n");
  const TemporaryFolder folder;
  const std::string here = fs::current_path().string();
  fs::create_directory("sub");
  fs::create_symlink(there + "/there", "link");
  fs::create_symlink(there + "/there", "sub/link");
  fs::create_symlink(".", "round");
  fs::create_symlink(here, fs::path{there} / "back");
  const auto refused = [](const auto& result) {
    return !result && result.error().code == ErrorCode::denied &&
           result.error().message.find("found a symbolic link") != std::string::npos;
  };
  for (const std::string& way :
       {std::string{"link"},
        std::string{"./sub/../link"},
        std::string{"sub/link"},
        std::string{"round/sub"},
        here + "/link",
        here + "/sub/../link",
        there + "/back/link",
        "../" + fs::path{here}.filename().string() + "/link"}) {
    INFO(way);
    CHECK(refused(write_text_file(way + "/plan", "ours\n")));
    CHECK(refused(files::create_file(way + "/new")));
    CHECK(refused(files::open_private(way + "/plan")));
    CHECK(refused(files::remove_file(way + "/plan")));
    CHECK(refused(files::make_folder(way + "/deeper/still", files::Readers::owner)));
    CHECK(refused(save_facts(way, {NodeFacts{node("pve1"), {}, {}, {}, {}}})));
    CHECK(refused(files::read_regular(way + "/plan", 100, files::Links::refused)));
    CHECK(refused(files::entries_of(way)));
  }
  CHECK(*read_text_file("link/plan", 100) == "theirs\n");  // named by the user
  CHECK(std::distance(fs::directory_iterator{there + "/there"}, {}) == 1);
  // The operator's own.
  fs::create_symlink("there", there + "/way");
  REQUIRE(write_text_file(there + "/way/ours", "ours\n"));
  CHECK(*files::read_regular(there + "/way/ours", 100, files::Links::refused) == "ours\n");
  REQUIRE(files::make_folder(there + "/way/deeper/still", files::Readers::owner));
  CHECK(fs::is_directory(there + "/there/deeper/still"));
}

TEST_CASE("only what this program would call a run is one", "[cli]") {
  CHECK(is_run_id("20261120T101227Z-3f9c"));
  SystemClock clock;
  Random random{7};
  CHECK(is_run_id(new_run_id(clock, random)));
  for (const char* name :
       {"",
        "keep",
        "20261120T101227Z-3f9",
        "20261120T101227Z-3f9cc",
        "20261120T101227Z-3F9C",
        "20261120T101227Z-$(x)",
        "$(touch PWNED)",
        "20261120t101227z-3f9c",
        "-0261120T101227Z-3f9c"})
    CHECK_FALSE(is_run_id(name));
}

TEST_CASE("what is no file is not replaced by one", "[cli]") {
  const TemporaryFolder folder;
  REQUIRE(mkfifo("pipe", 0600) == 0);
  CHECK(write_text_file("pipe", "x").error().code == ErrorCode::invalid);
  CHECK(
      write_text_file("/dev/full", "x").error().message.find("expected a file") !=
      std::string::npos);
  CHECK(write_text_file("/dev/null", "x"));  // which is to discard it
  for (const char* device : {"/dev/full", "/dev/null"})
    CHECK(std::filesystem::is_character_file(device));
  std::filesystem::create_directory("folder");
  CHECK(write_text_file("folder", "x").error().code == ErrorCode::invalid);
}

TEST_CASE("a disk that is full leaves the file as it was", "[cli]") {
  const TemporaryFolder folder;
  TemporaryFolder::write("plan", "old\n");
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Result<void> written = write_text_file("plan", std::string(10'000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  static_cast<void>(std::signal(SIGXFSZ, handler));
  CHECK_FALSE(written);
  CHECK(*read_text_file("plan", 100) == "old\n");
  CHECK(std::distance(std::filesystem::directory_iterator{"."}, {}) == 1);
}

}  // namespace fabric::cli::test
