// SPDX-License-Identifier: Apache-2.0
// The fixtures of tests/golden/validate: per rule `<slug>-ok` and `<slug>-ok-<which>` without the
// finding, `<slug>-bad` and `<slug>-bad-<which>` with it, as many of the one as of the other. Here
// it is only judged that they are there and mean what their names say; the exact output is compared
// by the golden suite.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/document/load.hpp"
#include "engine/report/diagnostics/rule_table.hpp"
#include "engine/workflow/wanted.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = fs::path{FABRIC_SOURCE_DIR} / "tests/golden/validate";
const fs::path kExamples = fs::path{FABRIC_SOURCE_DIR} / "examples";

// Each document is judged once for all tests.
const std::vector<Diagnostic>& findings(const fs::path& document) {
  static std::map<fs::path, std::vector<Diagnostic>> judged;
  const auto known = judged.find(document);
  if (known != judged.end()) return known->second;
  std::ifstream stream{document};
  REQUIRE(stream.good());
  SourceMap sources;
  const FileId file = sources.add(
      document.string(),
      std::string{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}});
  workflow::Document read;
  read.loaded = load_document(sources, {file});
  workflow::judge_platforms(read);
  return judged[document] = read.loaded.diagnostics.items();
}

std::string text(const std::vector<Diagnostic>& diagnostics) {
  std::string lines;
  for (const Diagnostic& item : diagnostics) {
    lines += std::string{to_string(item.severity)} + " [" + item.rule + "] " + item.message + "\n";
  }
  return lines;
}

bool has(const std::vector<Diagnostic>& diagnostics, std::string_view rule) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& item) {
    return item.rule == rule;
  });
}

struct Subject {
  const RuleInfo* rule = nullptr;  // none: a case of the reader's own, about more than one rule
  bool passes = false;
};

// What a case is about: `<slug>-ok`, `<slug>-ok-<which>`, `<slug>-bad` or `<slug>-bad-<which>`.
Subject subject(std::string_view name) {
  for (const RuleInfo& rule : rule_table()) {
    if (!name.starts_with(rule.slug)) continue;
    const std::string verdict = std::string{name.substr(rule.slug.size())} + "-";
    if (verdict.starts_with("-ok-")) return {&rule, true};
    if (verdict.starts_with("-bad-")) return {&rule, false};
  }
  return {};
}

std::set<std::string> case_names() {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator{kFixtures}) {
    if (entry.is_directory() && fs::exists(entry.path() / "fabric.yaml"))
      names.insert(entry.path().filename().string());
  }
  return names;
}

bool needs_fixtures(const RuleInfo& rule) {
  return rule.stage == RuleStage::reader || rule.stage == RuleStage::document;
}

TEST_CASE(
    "every rule that needs the document alone has a fixture that passes and one that fails",
    "[report]") {
  const std::set<std::string> names = case_names();
  for (const RuleInfo& rule : rule_table()) {
    if (!needs_fixtures(rule)) continue;
    CAPTURE(rule.slug);
    CHECK(names.contains(std::string{rule.slug} + "-ok"));
    CHECK(std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      const Subject about = subject(name);
      return about.rule == &rule && !about.passes;
    }));
  }
}

TEST_CASE("every rule has as many passing as failing fixtures", "[report]") {
  struct Count {
    int passing = 0;
    int failing = 0;
  };
  std::map<std::string_view, Count> counts;
  for (const std::string& name : case_names()) {
    const Subject about = subject(name);
    if (about.rule == nullptr) continue;
    Count& count = counts[about.rule->slug];
    ++(about.passes ? count.passing : count.failing);
  }
  CHECK_FALSE(counts.empty());
  for (const auto& [slug, count] : counts) {
    CAPTURE(slug);
    CHECK(count.passing == count.failing);
  }
}

TEST_CASE(
    "a failing fixture gives its finding and no other error, a passing one none of it",
    "[report]") {
  for (const std::string& name : case_names()) {
    const auto [rule, passes] = subject(name);
    if (rule == nullptr) continue;
    const std::vector<Diagnostic>& found = findings(kFixtures / name / "fabric.yaml");
    CAPTURE(name, text(found));
    if (passes) {
      CHECK_FALSE(has(found, rule->slug));
      CHECK(std::none_of(found.begin(), found.end(), [](const Diagnostic& item) {
        return item.severity == Severity::error;
      }));
      continue;
    }
    CHECK(has(found, rule->slug));
    for (const Diagnostic& item : found) {
      // A chain that is torn by the mistake may also be warned of as no ring; an error stands
      // alone.
      if (item.severity == Severity::error && !is_known(item.cause)) CHECK(item.rule == rule->slug);
    }
  }
}

TEST_CASE("every finding of a fixture says where it is", "[report]") {
  for (const std::string& name : case_names()) {
    for (const Diagnostic& item : findings(kFixtures / name / "fabric.yaml")) {
      CAPTURE(name, item.rule, item.message);
      CHECK(find_rule(item.rule) != nullptr);
      CHECK(is_known(item.range));
      for (const Note& note : item.related)
        CHECK(is_known(note.range));
      CHECK_FALSE(item.message.ends_with("."));
    }
  }
}

TEST_CASE("every example is valid and begins with the modeline of its schema", "[report]") {
  std::size_t examples = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator{kExamples}) {
    const fs::path document = entry.path() / "fabric.yaml";
    if (!fs::exists(document)) continue;
    ++examples;
    const std::vector<Diagnostic>& found = findings(document);
    CAPTURE(document.string(), text(found));
    CHECK(std::none_of(found.begin(), found.end(), [](const Diagnostic& item) {
      // fabric makes no virtual switches of ESX, whatever the document says.
      return item.severity != Severity::info && item.rule != "virtual-switch-by-hand";
    }));
    CHECK(fs::exists(entry.path() / "README.md"));
    std::ifstream stream{document};
    std::string first;
    std::getline(stream, first);
    CHECK(first == "# yaml-language-server: $schema=../../schemas/fabric.schema.json");
  }
  CHECK(examples >= 8);
}

}  // namespace
}  // namespace fabric
