#include "engine/cli/input/facts_io.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/value/json.hpp"
#include "engine/workflow/discovering.hpp"

namespace fabric::cli {

namespace {

std::string facts_file(const std::string& folder, const NodeName& node) {
  return (std::filesystem::path{folder} / (node.str() + ".json")).string();
}

}  // namespace

Result<std::vector<NodeFacts>> read_facts(
    Context& context, const workflow::Wanted& wanted, remote::StepRunner* runner, Random& random) {
  const GlobalOptions& options = context.options();
  if (!options.facts.empty()) return saved_facts(options.facts, wanted.nodes);
  return workflow::discover(
      wanted.desired(),
      {options.timeout, options.parallelism},
      context.listener(),
      *runner,
      random);
}

Result<void> save_facts(const std::string& folder, const std::vector<NodeFacts>& facts) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return Error{ErrorCode::denied, fmt::format("{}: {}", folder, failure.message())};
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
  std::vector<NodeFacts> all;
  for (const NodeName& node : nodes) {
    const std::string path = facts_file(folder, node);
    if (!std::filesystem::exists(path, failure)) {
      NodeFacts missing{node, {}, {}, {}, {}};
      missing.failure = Error{ErrorCode::unreachable, fmt::format("no saved facts in {}", path)};
      all.push_back(std::move(missing));
      continue;
    }
    const std::string text = FABRIC_TRY(read_text_file(path, limits::kCommandOutputBytes * 4));
    Result<Value> value = parse_json(text);
    if (!value) return with_context(std::move(value).error(), path);
    Result<NodeFacts> facts = facts_from_value(*value);
    if (!facts) return with_context(std::move(facts).error(), path);
    if (facts->node != node) {
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{}: expected facts of {}, found those of {}", path, node.str(), facts->node.str())};
    }
    all.push_back(std::move(*facts));
  }
  return all;
}

}  // namespace fabric::cli
