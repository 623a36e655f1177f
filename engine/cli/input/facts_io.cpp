// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/input/facts_io.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/parallel.hpp"
#include "engine/base/shared_text.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/files/read.hpp"
#include "engine/files/write.hpp"
#include "engine/value/json.hpp"
#include "engine/workflow/discovering.hpp"

namespace fabric::cli {

namespace {

std::string facts_file(const std::string& folder, const NodeName& node) {
  return (std::filesystem::path{folder} / (node.str() + ".json")).string();
}

// A node without a file is one that was not reached.
Result<NodeFacts> facts_of(const std::string& folder, const NodeName& node) {
  const std::string path = facts_file(folder, node);
  // Beneath: whoever wrote the facts may have made a link of one.
  Result<std::string> text = files::read_beneath(folder, node.str() + ".json", limits::kFactsBytes);
  if (!text && text.error().code != ErrorCode::not_found) return std::move(text).error();
  if (!text) {
    NodeFacts missing{node, {}, {}, {}, {}};
    missing.failure = Error{ErrorCode::unreachable, fmt::format("no saved facts in {}", path)};
    return missing;
  }
  Result<Value> value = parse_json(*text);
  if (!value) return with_context(std::move(value).error(), path);
  Result<NodeFacts> facts = facts_from_value(*std::move(value));
  if (!facts) return with_context(std::move(facts).error(), path);
  if (facts->node != node) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "{}: expected facts of {}, found those of {}", path, node.str(), facts->node.str())};
  }
  return facts;
}

}  // namespace

Result<std::vector<NodeFacts>> read_facts(
    Context& context, const workflow::Wanted& wanted, remote::StepRunner* runner, Random& random) {
  const GlobalOptions& options = context.options();
  if (!options.facts.empty()) {
    std::vector<NodeName> nodes = wanted.nodes;
    nodes.insert(nodes.end(), wanted.outside.begin(), wanted.outside.end());
    return saved_facts(options.facts, nodes);
  }
  return workflow::discover(
      wanted.desired(),
      {options.timeout, options.parallelism},
      context.listener(),
      *runner,
      random);
}

Result<void> save_facts(const std::string& folder, const std::vector<NodeFacts>& facts) {
  FABRIC_TRY(files::make_folder(folder, files::Readers::owner));
  for (const NodeFacts& node : facts) {
    Result<void> written =
        write_text_file(facts_file(folder, node.node), to_json_pretty(to_value(node)));
    if (!written) return written;
  }
  return {};
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
  for_each_index(nodes.size(), [&](std::size_t index) {
    read[index] = facts_of(folder, nodes[index]);
    if (*read[index]) share_texts(**read[index], texts);
  });
  std::vector<NodeFacts> all;
  all.reserve(nodes.size());
  for (std::optional<Result<NodeFacts>>& facts : read)
    all.push_back(FABRIC_TRY(*std::move(facts)));
  return all;
}

}  // namespace fabric::cli
