#include <iterator>

#include <unistd.h>

#include "engine/cli/input/facts_io.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/run_folder.hpp"
#include "engine/execute/journal/durable_sink.hpp"

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
      ".: expected a document (*.yaml), found none in this directory");
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

}  // namespace fabric::cli::test
