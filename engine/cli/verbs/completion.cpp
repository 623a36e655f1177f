// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/cli/reference/command_tree.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/run_folder.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/report/diagnostics/rule_table.hpp"
#include "engine/report/terminal/text.hpp"

namespace fabric::cli {

namespace {

std::string lines(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += word + "\n";
  return text;
}

class CompletionVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app_ = &app;
    app.add_option(
           "WHAT",
           what_,
           "the script of a shell; man: the manual page of fabric or of VERB; or a list that the "
           "scripts ask for: nodes of the document in this folder, rules, runs")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish", "man", "nodes", "rules", "runs"}));
    app.add_option("VERB", verb_, "with man: the verb whose page is wanted");
  }

  Result<ExitCode> run(Context& context) override {
    const std::string text = FABRIC_TRY(wanted());
    if (context.json()) {
      context.events().emit("info", "completion", what_, {{"result", Map{{"text", text}}}});
    } else {
      context.result(report::Text::document(text));
    }
    return ExitCode::done;
  }

 private:
  Result<std::string> wanted() const {
    if (!verb_.empty() && what_ != "man") return Error{ErrorCode::invalid, "only man takes a VERB"};
    if (what_ == "nodes") return nodes();
    if (what_ == "rules") return rules();
    if (what_ == "runs") return runs();
    const CommandText fabric = describe(*app_->get_parent());
    if (what_ == "bash") return bash_completion(fabric);
    if (what_ == "zsh") return zsh_completion(fabric);
    if (what_ == "fish") return fish_completion(fabric);
    if (verb_.empty()) return manual_page(fabric, FABRIC_VERSION);
    const auto verb = std::ranges::find_if(
        fabric.commands, [&](const CommandText& each) { return each.name == verb_; });
    if (verb == fabric.commands.end())
      return Error{ErrorCode::not_found, fmt::format("there is no verb '{}'", verb_)};
    return manual_page(fabric, *verb, FABRIC_VERSION);
  }

  // Also from a document with errors elsewhere: its author may be editing it.
  static Result<std::string> nodes() {
    const std::unique_ptr<Document> document = FABRIC_TRY(load_path("."));
    std::vector<std::string> names;
    for (const auto& [name, node] : document->spec().nodes)
      names.push_back(name.str());
    return lines(names);
  }

  static std::string rules() {
    std::vector<std::string> slugs;
    for (const RuleInfo& rule : rule_table())
      slugs.emplace_back(rule.slug);
    return lines(slugs);
  }

  static Result<std::string> runs() { return lines(FABRIC_TRY(run_names())); }

  const CLI::App* app_ = nullptr;
  std::string what_, verb_;
};

}  // namespace

std::unique_ptr<Verb> make_completion() {
  return std::make_unique<CompletionVerb>();
}

}  // namespace fabric::cli
