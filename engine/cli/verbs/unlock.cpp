// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/cli/input/node_choice.hpp"
#include "engine/cli/input/read_wanted.hpp"
#include "engine/cli/session/connect.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/execute/guard/orphaned_guards.hpp"
#include "engine/execute/lease/read_leases.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/remote/limited_runner.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/report/terminal/text.hpp"

namespace fabric::cli {

namespace {

// The result for one node's lock.
struct Unlocking {
  std::optional<execute::Lease> found;
  bool removed = false;
  std::optional<Error> failure;
};

bool may_go(const execute::Lease& lease) {
  return !lease.is_live() || has_ended(lease.holder);
}

class UnlockVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "document: a file or a directory")->default_val(".");
    nodes_.declare_limit(app);
    nodes_.declare_offline(app);
  }

  Result<ExitCode> run(Context& context) override {
    const std::vector<std::string> files = FABRIC_TRY(document_files(path_));
    const workflow::NodeChoice choice = FABRIC_TRY(nodes_.choice());
    const workflow::Wanted wanted = FABRIC_TRY(read_wanted(context, files, choice));
    Random random = fresh_random(context.clock());
    const std::unique_ptr<remote::StepRunner> connected =
        FABRIC_TRY(connect(context, *wanted.document));
    remote::LimitedRunner runner{*connected, context.options().timeout};
    platform::NodePlatforms platforms =
        platform::platforms_of(wanted.nodes, wanted.document->spec(), wanted.registry);
    std::map<NodeName, Unlocking> nodes;
    std::vector<NodeName> free;
    for (const auto& [node, lease] : execute::read_leases(platforms, runner, random)) {
      Unlocking& unlocking = nodes[node];
      if (!lease) {
        unlocking.failure = lease.error();
      } else {
        unlocking.found = *lease;
        if (*lease && may_go(**lease)) free.push_back(node);
      }
    }
    execute::ask_nodes(
        free,
        runner,
        random,
        [&](const NodeName& node) {
          return platforms.at(node)->node_lock()->release(nodes.at(node).found->holder.run);
        },
        [&](const NodeName& node, const remote::StepResult& result) {
          read_back(nodes.at(node), *platforms.at(node)->node_lock(), result);
          return std::nullopt;
        });
    ExitCode code = ExitCode::done;
    std::vector<NodeName> not_locked;
    for (const auto& [node, unlocking] : nodes) {
      const bool is_told_at_once = !context.json() && !unlocking.failure && !unlocking.found;
      if (is_told_at_once) not_locked.push_back(node);
      if (!is_told_at_once) code = worse(code, tell(context, node, unlocking));
    }
    if (!not_locked.empty()) context.result(report::compose("{}: not locked\n", fold(not_locked)));
    // A node that did not answer is not asked again.
    std::erase_if(platforms, [&nodes](const auto& each) {
      const auto found = nodes.find(each.first);
      return found != nodes.end() && found->second.failure;
    });
    for (const execute::OrphanGuard& guard : execute::find_guards(platforms, runner, random).guards)
      tell(context, guard);
    return code;
  }

 private:
  // Another holder may have it now, and this command does not decide about that one.
  static void read_back(
      Unlocking& node, const platform::NodeLock& lock, const remote::StepResult& result) {
    if (result.outcome != remote::Outcome::succeeded) {
      node.failure = result.error;
      return;
    }
    const Result<execute::LeaseAnswer> answer = lock.answer(result);
    if (answer) {
      node.removed = !answer->found || answer->found->holder != node.found->holder;
    } else {
      node.failure = answer.error();
    }
  }

  static ExitCode tell(Context& context, const NodeName& node, const Unlocking& what) {
    if (what.failure) {
      context.error(fmt::format("{}: {}", node.str(), what.failure->message));
      return exit_code_for(*what.failure);
    }
    Map fields{{"node", node.str()}, {"locked", what.found && !what.removed}};
    std::string text = fmt::format("{}: not locked", node.str());
    if (what.found) {
      const execute::LeaseHolder& holder = what.found->holder;
      fields.insert_or_assign("holder", holder.who);
      fields.insert_or_assign("run", holder.run);
      fields.insert_or_assign("age_ms", std::int64_t{what.found->age.count()});
      fields.insert_or_assign("left_ms", std::int64_t{what.found->left.count()});
      text = fmt::format(
          "{}: {}; locked by {} (run {}) since {}",
          node.str(),
          what.removed ? "unlocked" : state_of(*what.found),
          holder.who,
          holder.run,
          format_duration(what.found->age));
    }
    if (context.json()) {
      context.events().emit("info", "lock", text, std::move(fields));
    } else {
      context.result(report::compose("{}\n", text));
    }
    return what.found && !what.removed ? ExitCode::locked : ExitCode::done;
  }

  // Only shown: the next apply checks what it would roll back, and disarms it.
  static void tell(Context& context, const execute::OrphanGuard& guard) {
    const std::string text = fmt::format(
        "{}: a rollback timer {} ({})",
        guard.node.str(),
        guard.foreign  ? "of another login waits to be confirmed"
        : guard.firing ? "is rolling back"
                       : "is armed",
        guard.holder);
    if (context.json()) {
      context.events().emit(
          "info",
          "guard",
          text,
          Map{{"node", guard.node.str()}, {"holder", guard.holder}, {"firing", guard.firing}});
    } else {
      context.result(report::compose("{}\n", text));
    }
  }

  static std::string state_of(const execute::Lease& lease) {
    if (may_go(lease)) return "still locked";
    return fmt::format(
        "the lock is live and stays; it ends by itself in {}", format_duration(lease.left));
  }

  std::string path_;
  NodeOptions nodes_;
};

}  // namespace

std::unique_ptr<Verb> make_unlock() {
  return std::make_unique<UnlockVerb>();
}

}  // namespace fabric::cli
