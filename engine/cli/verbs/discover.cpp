// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/cli/input/facts_io.hpp"
#include "engine/cli/input/node_choice.hpp"
#include "engine/cli/input/read_wanted.hpp"
#include "engine/cli/session/connect.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/remote/shell.hpp"
#include "engine/report/discover_json.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/value/json_writer.hpp"
#include "engine/workflow/discovering.hpp"
#include "engine/workflow/resources.hpp"

namespace fabric::cli {

namespace {

// The part of `nodes` that `shard` ("2/8": the second of every eight) names; all of them if it is
// "". Fails with ErrorCode::invalid.
Result<std::vector<NodeName>> shard_of(std::vector<NodeName> nodes, std::string_view shard) {
  if (shard.empty()) return nodes;
  const std::size_t slash = std::min(shard.find('/'), shard.size());
  const auto number = parse_unsigned(shard.substr(0, slash), 10);
  const auto of = parse_unsigned(shard.substr(std::min(slash + 1, shard.size())), 10);
  constexpr std::uint64_t kMost = 100'000;  // as many as a document may have nodes
  if (!number || !of || *number < 1 || *number > *of || *of > kMost) {
    return Error{
        ErrorCode::invalid,
        fmt::format("--shard: expected I/N with I from 1 to N, such as 2/8, found '{}'", shard)};
  }
  std::vector<NodeName> part;
  for (std::size_t index = *number - 1; index < nodes.size(); index += *of)
    part.push_back(std::move(nodes[index]));
  return part;
}

class DiscoverVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "document: a file or a directory")->default_val(".");
    nodes_.declare_limit(app);
    nodes_.declare_offline(app);
    app.add_option("--save", save_, "write each node's raw facts to this directory, for --facts");
    app.add_option(
           "--shard",
           shard_,
           "ask only the I-th of every N nodes, for example 2/8, so that N machines share the "
           "work; put their --save directories together to have all facts")
        ->type_name("I/N");
  }

  Result<ExitCode> run(Context& context) override {
    const workflow::NodeChoice choice = FABRIC_TRY(nodes_.choice());
    const std::vector<std::string> files = FABRIC_TRY(document_files(path_));
    workflow::Wanted& wanted = wanted_.emplace(FABRIC_TRY(read_wanted(context, files, choice)));
    wanted.outside.clear();  // nothing is changed, so nothing is guarded
    wanted.nodes = FABRIC_TRY(shard_of(std::move(wanted.nodes), shard_));
    Random random = fresh_random(context.clock());
    std::unique_ptr<remote::StepRunner> runner;
    if (context.options().facts.empty()) {
      runner = FABRIC_TRY(connect(context, *wanted.document, ssh::SessionLife::one_step));
    }
    std::vector<NodeFacts> facts = FABRIC_TRY(
        save_.empty() ? read_facts(context, wanted, runner.get(), random)
                      : read_and_save_facts(context, wanted, runner.get(), random, save_));
    if (!save_.empty()) {
      const auto reached = static_cast<std::size_t>(std::count_if(
          facts.begin(), facts.end(), [](const NodeFacts& node) { return node.reachable(); }));
      const std::size_t unreached = facts.size() - reached;
      context.note(fmt::format(
          "facts of {} saved in {}{}; use the facts with --facts {}",
          report::count(reached, "node"),
          save_,
          unreached == 0 ? ""
                         : fmt::format(
                               "; {} not reached; the file of each node says why",
                               report::count(unreached, "node")),
          remote::quote(save_)));
    }
    Diagnostics diagnostics;
    const discovery::Snapshot& snapshot =
        snapshot_.emplace(workflow::observe(wanted.desired(), std::move(facts), diagnostics));
    print_problems(context, wanted.document->sources, diagnostics);
    if (context.json()) {
      context.events().emit(
          "info",
          "discover_result",
          "what was observed",
          {{"result", report::discover_json(snapshot, wanted.registry)}});
    } else {
      std::string text;
      JsonWriter writer{JsonStyle::pretty, [&text](std::string_view piece) {
                          text += piece;
                        }};
      report::write_discover_json(snapshot, wanted.registry, writer);
      writer.finish();
      context.result(text);
    }
    return workflow::complete(snapshot) ? ExitCode::done : ExitCode::unreachable;
  }

 private:
  std::string path_, save_, shard_;
  // Kept to the end of the process, which gives the memory of a large fabric back at once.
  std::optional<workflow::Wanted> wanted_;
  std::optional<discovery::Snapshot> snapshot_;
  NodeOptions nodes_;
};

}  // namespace

std::unique_ptr<Verb> make_discover() {
  return std::make_unique<DiscoverVerb>();
}

}  // namespace fabric::cli
