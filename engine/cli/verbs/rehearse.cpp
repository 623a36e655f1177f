// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/cli/input/facts_io.hpp"
#include "engine/cli/input/node_choice.hpp"
#include "engine/cli/input/plan_input.hpp"
#include "engine/cli/input/read_wanted.hpp"
#include "engine/cli/session/connect.hpp"
#include "engine/cli/state/named_file.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/discovery/reach_fabric.hpp"
#include "engine/execute/action/conditions.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/rehearse/rehearsal.hpp"
#include "engine/remote/shell.hpp"
#include "engine/report/rehearse/rehearsals.hpp"
#include "plans/plan_file.hpp"
#include "providers/simulated/simulated_platforms.hpp"

namespace fabric::cli {

namespace {

constexpr std::size_t kImageBytes = std::size_t{256} << 20U;

// The plan, and the present state.
struct Prepared {
  workflow::Wanted wanted;
  plans::Plan plan;
  discovery::Snapshot snapshot;
  std::optional<ExitCode> refused;  // there are errors
};

class RehearseVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "document, or plan file of `fabric plan --out`")
        ->default_val(".");
    seeds_option_ =
        app.add_option(
               "--seeds",
               seeds_,
               fmt::format(
                   "how many seeds of faults, from 1 on ({}; fewer of more than {} nodes)",
                   kSeeds,
                   kFewNodes))
            ->check(CLI::Range(std::uint64_t{1}, kMostSeeds));
    seed_option_ =
        app.add_option("--seed", seed_, "run only this seed and show each step; 0 = no faults");
    nodes_.declare_offline(app);
    app.add_option(
           "--max-unavailable", max_unavailable_, "use N in place of rollout.max_unavailable")
        ->check(CLI::Range(1U, 1'000'000U));
  }

  Result<ExitCode> run(Context& context) override {
    Prepared prepared = FABRIC_TRY(prepare(context));
    if (prepared.refused) return *prepared.refused;
    const plans::Plan& plan = prepared.plan;
    if (plan.actions.empty() || reaches_nobody(prepared)) return nothing_to_play(context, prepared);
    const Document& document = *prepared.wanted.document;
    const std::vector<Resource> resources = with_bindings(prepared.wanted.resources, plan.bindings);
    const std::vector<Resource> all = workflow::planned_resources(prepared.wanted.desired(), plan);
    if (is_plan_file_ &&
        !execute::is_left_to_do(plan, all, prepared.wanted.registry, prepared.snapshot))
      return nothing_left(context, prepared);
    const rehearse::Copy copy = rehearse::copy_nodes(
        {document.spec(),
         document.sources,
         prepared.wanted.registry,
         providers::simulated_platforms(),
         resources,
         all,
         prepared.snapshot,
         plan,
         [&](const std::string& path) {
           return read_named_file(
               document.folder, path, context.options().trust_document, kImageBytes);
         },
         prepared.wanted.undone.get()});
    const report::RehearsalContext about{
        plan,
        copy.missing,
        copy.scene.left_out.size(),
        forced(prepared),
        context.command("rehearse" + again(context.options()))};
    const ExitCode code = seed_option_->count() > 0
                              ? run_seed(context, copy, about)
                              : play(
                                    context,
                                    copy,
                                    about,
                                    discovery::observed_paths(document.spec(), prepared.snapshot));
    return judged(code, prepared);
  }

 private:
  // The code, or that of unreachable nodes: apply would not reach all.
  static ExitCode judged(ExitCode code, const Prepared& prepared) {
    if (!prepared.plan.reached_all() || !not_reached(prepared).empty())
      code = worse(code, ExitCode::unreachable);
    return code;
  }

  // When the plan was made, or now that it is rehearsed.
  static std::vector<NodeName> not_reached(const Prepared& prepared) {
    std::vector<NodeName> nodes;
    for (const auto& [name, node] : prepared.plan.nodes) {
      const auto seen = prepared.snapshot.nodes.find(name);
      const bool answers = seen != prepared.snapshot.nodes.end() && seen->second.facts.reachable();
      if (!node.offline && !node.outside && !(node.reachable && answers)) nodes.push_back(name);
    }
    return nodes;
  }

  static bool reaches_nobody(const Prepared& prepared) {
    const auto asked = std::ranges::count_if(prepared.plan.nodes, [](const auto& each) {
      return !each.second.offline && !each.second.outside;
    });
    return asked != 0 && not_reached(prepared).size() == static_cast<std::size_t>(asked);
  }

  static ExitCode nothing_to_play(Context& context, const Prepared& prepared) {
    report::Text text = "Nothing to rehearse: the plan has no actions.\n";
    if (const std::vector<NodeName> missing = not_reached(prepared); !missing.empty()) {
      text = report::compose(
          "Nothing to rehearse: {} of {} could not be reached, and fabric copies no node that it "
          "has not read{}.\n",
          fold(missing),
          report::count(prepared.plan.nodes.size(), "node"),
          context.options().lab ? "" : " (for the lab: fabric --lab rehearse)");
    }
    context.result(text);
    return judged(ExitCode::done, prepared);
  }

  // The result if `apply` would find each action already satisfied.
  ExitCode nothing_left(Context& context, const Prepared& prepared) const {
    std::set<NodeName> nodes;
    for (const plans::Action& action : prepared.plan.actions)
      nodes.insert(action.node);
    context.summarize("nothing_left", true);
    context.result(report::compose(
        "Nothing to rehearse: the {} of this plan {} done already on {}. To see the work that is "
        "left now, plan again: {}\n",
        report::count(prepared.plan.actions.size(), "action"),
        prepared.plan.actions.size() == 1 ? "is" : "are",
        fold(std::vector<NodeName>{nodes.begin(), nodes.end()}),
        context.command("plan")));
    return judged(ExitCode::done, prepared);
  }

  Result<Prepared> prepare(Context& context) {
    const std::optional<std::string> text = FABRIC_TRY(plan_file_text(path_));
    is_plan_file_ = text.has_value();
    if (text) return prepare_plan(context, *text);
    Prepared prepared;
    const workflow::NodeChoice choice = FABRIC_TRY(nodes_.choice());
    const std::vector<std::string> files = FABRIC_TRY(document_files(path_));
    prepared.wanted = FABRIC_TRY(read_wanted(context, files, choice));
    RolloutSpec& rollout = prepared.wanted.document->loaded.spec.rollout;
    written_ = rollout.max_unavailable.value;
    if (max_unavailable_ != 0) rollout.max_unavailable.value = max_unavailable_;
    workflow::Planned planned = FABRIC_TRY(plan_now(context, prepared.wanted));
    prepared.plan = std::move(planned.plan);
    prepared.snapshot = std::move(planned.snapshot);
    if (!planned.valid) prepared.refused = workflow::exit_code_of(planned);
    return prepared;
  }

  Result<Prepared> prepare_plan(Context& context, const std::string& text) {
    if (max_unavailable_ != 0) {
      return Error{
          ErrorCode::invalid,
          path_ + ": a plan is rehearsed as it is: --max-unavailable is for a document"};
    }
    if (!nodes_.offline.empty()) {
      return Error{
          ErrorCode::invalid,
          path_ + ": a plan is rehearsed as it is: make it with `fabric plan --offline`"};
    }
    Prepared prepared;
    Result<plans::Plan> plan = plans::parse_plan_file(text);
    if (!plan) return with_context(plan.error(), path_);
    if (plan->stage) {
      return Error{
          ErrorCode::invalid,
          path_ + ": a staged plan reboots no node, so there is nothing to rehearse"};
    }
    prepared.plan = std::move(plan).value();
    prepared.wanted = FABRIC_TRY(wanted_of(context, prepared.plan));
    workflow::Wanted& wanted = prepared.wanted;
    Random random = fresh_random(context.clock());
    std::unique_ptr<remote::StepRunner> runner;
    if (context.options().facts.empty()) runner = FABRIC_TRY(connect(context, *wanted.document));
    // The plan has the other nodes that are down.
    std::erase_if(wanted.outside, [&](const NodeName& node) {
      const auto drained = prepared.plan.nodes.find(node);
      return drained == prepared.plan.nodes.end() || drained->second.outside;
    });
    std::vector<NodeFacts> facts = FABRIC_TRY(read_facts(context, wanted, runner.get(), random));
    Diagnostics ignored;  // they stand in the plan
    prepared.snapshot = discovery::observe(
        workflow::planned_resources(wanted.desired(), prepared.plan),
        std::move(facts),
        wanted.registry,
        ignored);
    return prepared;
  }

  std::string forced(const Prepared& prepared) const {
    if (max_unavailable_ == 0) return {};
    return fmt::format(
        "max_unavailable {} for this rehearsal alone (the document: {}); neighbours of a ring "
        "still "
        "don't go down together, as in every plan{}",
        prepared.wanted.document->spec().rollout.max_unavailable.value,
        written_,
        prepared.plan.waves.empty() ? "" : fmt::format(": {}", waves_text(prepared.plan)));
  }

  static std::string waves_text(const plans::Plan& plan) {
    const plans::Wave& wave = plan.waves.front();
    std::vector<std::string> names;
    for (const NodeName& node : wave.nodes)
      names.push_back(node.str());
    return fmt::format("wave {} takes {}", wave.number, fmt::join(names, ", "));
  }

  // The arguments that rehearse the same once more.
  std::string again(const GlobalOptions& options) const {
    std::string text = path_ == "." ? "" : " " + remote::quote(path_);
    if (!options.facts.empty()) text += " --facts " + remote::quote(options.facts);
    if (max_unavailable_ != 0) text += fmt::format(" --max-unavailable {}", max_unavailable_);
    text += nodes_.again();
    return text;
  }

  ExitCode run_seed(
      Context& context, const rehearse::Copy& copy, const report::RehearsalContext& about) const {
    const rehearse::SeedResult result = rehearse::rehearse_seed(copy.scene, about.plan, seed_);
    if (context.json()) report::emit_seed(context.events(), result, true);
    context.result(report::story_text(result, about, context.output_style()));
    if (!result.violations.empty()) return ExitCode::failed;
    return seed_ == 0 ? result.first.exit : ExitCode::done;
  }

  ExitCode play(
      Context& context,
      const rehearse::Copy& copy,
      const report::RehearsalContext& about,
      const std::vector<reach::NetworkNow>& paths) const {
    const std::uint64_t nodes = copy.scene.lab.hosts.size();
    const std::uint64_t seeds = seeds_option_->count() > 0 ? seeds_ : usual_seeds(nodes);
    const std::uint64_t told_each = nodes > kFewNodes ? 1 : 10;
    const rehearse::Rehearsal rehearsal = rehearse::rehearse(
        copy.scene, about.plan, paths, 1, seeds, [&](const rehearse::SeedResult& result) {
          if (context.json()) report::emit_seed(context.events(), result, false);
          if (!context.json() && result.seed % told_each == 0 && result.seed < seeds)
            context.note(fmt::format("rehearsed {} of {} seeds", result.seed, seeds));
        });
    if (context.json()) report::emit_rehearsal(context.events(), rehearsal, about);
    context.result(report::rehearsal_text(rehearsal, about, context.output_style()));
    if (!rehearsal.kept_promises() || !rehearsal.is_gentle()) return ExitCode::failed;
    return rehearsal.baseline.first.exit;
  }

  // The default number of seeds: one of hundreds of nodes takes seconds, so fifty take too long.
  static std::uint64_t usual_seeds(std::uint64_t nodes) {
    constexpr std::uint64_t kFewest = 5;
    return nodes <= kFewNodes ? kSeeds : std::max(kFewest, kSeeds * kFewNodes / nodes);
  }

  static constexpr std::uint64_t kSeeds = 50;
  static constexpr std::uint64_t kFewNodes = 100;
  static constexpr std::uint64_t kMostSeeds = 1'000'000;
  std::string path_;
  NodeOptions nodes_;
  std::uint64_t seeds_ = kSeeds;
  std::uint64_t seed_ = 0;
  const CLI::Option* seeds_option_ = nullptr;
  CLI::Option* seed_option_ = nullptr;
  bool is_plan_file_ = false;
  std::uint32_t max_unavailable_ = 0;  // 0: as the document says
  std::uint32_t written_ = 1;
};

}  // namespace

std::unique_ptr<Verb> make_rehearse() {
  return std::make_unique<RehearseVerb>();
}

}  // namespace fabric::cli
