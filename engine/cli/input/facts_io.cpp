// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/input/facts_io.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/parallel.hpp"
#include "engine/base/shared_text.hpp"
#include "engine/files/file_set.hpp"
#include "engine/files/read.hpp"
#include "engine/platform/saved_facts_reader.hpp"
#include "engine/workflow/discovering.hpp"
#include "engine/workflow/listener.hpp"

namespace fabric::cli {

namespace {

std::string file_of(const NodeName& node) {
  return node.str() + ".json";
}

// Nothing is saved after the first failure.
class SavedFacts {
 public:
  explicit SavedFacts(files::FileSet files) : files_{std::move(files)} {}
  void add(const NodeFacts& facts) {
    if (saved_) saved_ = files_.write(file_of(facts.node), to_json_pretty(facts));
  }
  Result<void> finish() const { return saved_ ? files_.flush() : saved_; }

 private:
  files::FileSet files_;
  Result<void> saved_;
};

// Passes the events of discovery on to another listener, and saves the facts in them.
class SavingListener final : public workflow::Listener {
 public:
  SavingListener(workflow::Listener& other, SavedFacts& saved) : other_{other}, saved_{saved} {}
  void phase(std::string_view what) override { other_.phase(what); }
  void discover_started(std::size_t nodes) override { other_.discover_started(nodes); }
  void discover_node(const NodeFacts& facts) override {
    saved_.add(facts);
    other_.discover_node(facts);
  }
  void node_looked(const NodeFacts& facts) override { saved_.add(facts); }
  void discover_waiting(const std::vector<NodeName>& nodes) override {
    other_.discover_waiting(nodes);
  }
  void discover_ended() override { other_.discover_ended(); }

 private:
  workflow::Listener& other_;
  SavedFacts& saved_;
};

// A node without a file is one that was not reached.
Result<NodeFacts> facts_of(
    const std::string& folder, const NodeName& node, SavedFactsReader& reader) {
  const std::string path = (std::filesystem::path{folder} / file_of(node)).string();
  // Opened beneath the folder: the author of the facts may have made a link of one.
  Result<std::string> text = files::read_beneath(folder, file_of(node), limits::kFactsBytes);
  if (!text && text.error().code != ErrorCode::not_found) return std::move(text).error();
  if (!text) {
    NodeFacts missing{node, {}, {}, {}, {}};
    missing.failure = Error{ErrorCode::unreachable, fmt::format("no saved facts in {}", path)};
    return missing;
  }
  Result<NodeFacts> facts = reader.read(*text);
  if (!facts) return with_context(std::move(facts).error(), path);
  if (facts->node != node) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "{}: expected facts of {}, found those of {}", path, node.str(), facts->node.str())};
  }
  return facts;
}

Result<std::vector<NodeFacts>> facts_by(
    workflow::Listener& listener,
    const GlobalOptions& options,
    const workflow::Wanted& wanted,
    remote::StepRunner* runner,
    Random& random) {
  if (!options.facts.empty()) {
    std::vector<NodeName> nodes = wanted.nodes;
    nodes.insert(nodes.end(), wanted.outside.begin(), wanted.outside.end());
    return saved_facts(options.facts, nodes);
  }
  return workflow::discover(
      wanted.desired(), {options.timeout, options.parallelism}, listener, *runner, random);
}

}  // namespace

Result<std::vector<NodeFacts>> read_facts(
    Context& context, const workflow::Wanted& wanted, remote::StepRunner* runner, Random& random) {
  return facts_by(context.listener(), context.options(), wanted, runner, random);
}

Result<std::vector<NodeFacts>> read_and_save_facts(
    Context& context,
    const workflow::Wanted& wanted,
    remote::StepRunner* runner,
    Random& random,
    const std::string& folder) {
  if (!context.options().facts.empty()) {
    std::vector<NodeFacts> facts = FABRIC_TRY(read_facts(context, wanted, runner, random));
    FABRIC_TRY(save_facts(folder, facts));
    return facts;
  }
  SavedFacts saved{FABRIC_TRY(files::FileSet::in(folder))};
  SavingListener listener{context.listener(), saved};
  std::vector<NodeFacts> facts =
      FABRIC_TRY(facts_by(listener, context.options(), wanted, runner, random));
  FABRIC_TRY(saved.finish());
  return facts;
}

Result<void> save_facts(const std::string& folder, const std::vector<NodeFacts>& facts) {
  SavedFacts saved{FABRIC_TRY(files::FileSet::in(folder))};
  for (const NodeFacts& node : facts)
    saved.add(node);
  return saved.finish();
}

Result<std::vector<NodeFacts>> saved_facts(
    const std::string& folder, const std::vector<NodeName>& nodes) {
  std::error_code failure;
  if (!std::filesystem::is_directory(folder, failure)) {
    return Error{
        ErrorCode::not_found,
        fmt::format("--facts: expected a directory, found none at {}", folder)};
  }
  TextPool texts;
  std::vector<std::optional<Result<NodeFacts>>> read(nodes.size());
  constexpr std::size_t kNeighbours = 32;
  for_each_index((nodes.size() + kNeighbours - 1) / kNeighbours, [&](std::size_t group) {
    SavedFactsReader reader{texts};
    const std::size_t end = std::min((group + 1) * kNeighbours, nodes.size());
    for (std::size_t index = group * kNeighbours; index < end; ++index)
      read[index] = facts_of(folder, nodes[index], reader);
  });
  std::vector<NodeFacts> all;
  all.reserve(nodes.size());
  for (std::optional<Result<NodeFacts>>& facts : read)
    all.push_back(FABRIC_TRY(*std::move(facts)));
  return all;
}

}  // namespace fabric::cli
