// SPDX-License-Identifier: Apache-2.0
// The sources of an import are joined by what they say, never by their order, and what is written
// of any of them is a document that `validate` passes.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "engine/base/random.hpp"
#include "engine/cli/input/facts_io.hpp"
#include "engine/cli/input/foreign_files.hpp"
#include "engine/description/merge.hpp"
#include "engine/description/writing/write.hpp"
#include "engine/model/document/load.hpp"
#include "engine/workflow/importing/seen_fabric.hpp"

#include "tests/support/catch.hpp"

namespace fabric::cli {
namespace {

using description::Source;

std::optional<Source> facts_in(const std::filesystem::path& folder) {
  std::vector<NodeName> nodes;
  for (const auto& file : std::filesystem::directory_iterator{folder})
    if (file.path().extension() == ".json") {
      const auto node = NodeName::parse(file.path().stem().string());
      if (node) nodes.push_back(*node);
    }
  std::sort(nodes.begin(), nodes.end());
  if (nodes.empty()) return std::nullopt;
  const Result<std::vector<NodeFacts>> facts = saved_facts(folder.string(), nodes);
  if (!facts) return std::nullopt;
  return Source{
      folder.filename().string(), workflow::describe(*facts), description::Nearness::hosts};
}

// Of each golden case of `fabric import`, what its files and saved facts say.
std::map<std::string, std::vector<Source>> fixtures() {
  std::map<std::string, std::vector<Source>> found;
  for (const auto& each :
       std::filesystem::directory_iterator{FABRIC_SOURCE_DIR "/tests/golden/import"}) {
    if (!each.is_directory()) continue;
    std::vector<Source>& sources = found[each.path().filename().string()];
    for (const auto& entry : std::filesystem::directory_iterator{each.path()}) {
      if (entry.is_directory()) {
        if (auto facts = facts_in(entry.path())) sources.push_back(*std::move(facts));
        continue;
      }
      const std::string name = entry.path().filename().string();
      if (name == "cmd" || name == "expected") continue;
      Result<ForeignFile> read = read_foreign_file(entry.path().string(), "");
      if (!read) continue;
      read->source.name = name;
      sources.push_back(std::move(read->source));
    }
    std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) {
      return a.name < b.name;
    });
  }
  return found;
}

std::string written(std::vector<Source> sources) {
  return description::write_document(description::merge(std::move(sources)), "imported", {});
}

TEST_CASE("whatever the order of its sources, an import writes the same", "[import]") {
  Random random{20261129};
  for (const auto& [name, sources] : fixtures()) {
    if (sources.size() < 2) continue;
    INFO(name);
    const std::string first = written(sources);
    constexpr int kOrders = 8;
    for (int order = 0; order < kOrders; ++order) {
      std::vector<Source> shuffled = sources;
      for (std::size_t i = shuffled.size(); i > 1; --i)
        std::swap(shuffled[i - 1], shuffled[random.below(i)]);
      CHECK(written(std::move(shuffled)) == first);
    }
  }
}

TEST_CASE("what an import writes is valid", "[import]") {
  std::size_t checked = 0;
  const auto check = [&checked](const std::string& text) {
    SourceMap files;
    const LoadedDocument loaded = load_document(files, {files.add("imported.yaml", text)});
    for (const Diagnostic& each : loaded.diagnostics.items()) {
      if (each.severity != Severity::error) continue;
      FAIL_CHECK(each.rule << ": " << each.message << "\n" << text);
      break;
    }
    ++checked;
  };
  for (const auto& [name, sources] : fixtures()) {
    INFO(name);
    if (sources.empty()) continue;
    for (const Source& source : sources)
      if (!source.says.nodes.empty()) check(written({source}));
    // Facts of one fabric at several times are no sources of one import.
    const auto of_hosts = std::count_if(sources.begin(), sources.end(), [](const Source& each) {
      return each.nearness == description::Nearness::hosts;
    });
    if (of_hosts < 2) check(written(sources));
  }
  CHECK(checked > 20);
}

}  // namespace
}  // namespace fabric::cli
