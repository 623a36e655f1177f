#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/cli/verb.hpp"
#include "engine/model/rules.hpp"

namespace fabric::cli {

namespace {

constexpr std::size_t kLabelColumns = 10;

std::string field(std::string_view label, std::string_view text, const report::Style& style) {
  return paint(style, report::Colour::bold, report::pad(label, kLabelColumns)) +
         report::hang(text, style.width, kLabelColumns) + '\n';
}

class ExplainVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("RULE", slug_, "the slug that stands in brackets in a finding")->required();
  }

  Result<ExitCode> run(Context& context) override {
    const RuleInfo* rule = find_rule(slug_);
    if (rule == nullptr) return unknown_rule();
    if (context.json()) {
      context.events().emit(
          "info",
          "rule",
          rule->reason,
          {{"rule", rule->slug},
           {"severity", to_string(rule->severity)},
           {"reason", rule->reason},
           {"evidence", rule->evidence},
           {"fix", rule->fix}});
      return ExitCode::done;
    }
    const report::Style style = context.output_style();
    std::string text = fmt::format(
        "{} ({})\n", paint(style, report::Colour::bold, rule->slug), to_string(rule->severity));
    text += field("why", rule->reason, style) + field("evidence", rule->evidence, style) +
            field("fix", rule->fix, style);
    context.result(text);
    return ExitCode::done;
  }

 private:
  Error unknown_rule() const {
    std::vector<std::string> slugs;
    for (const RuleInfo& rule : rule_table())
      slugs.emplace_back(rule.slug);
    const std::string meant = nearest(slug_, slugs);
    return {
        ErrorCode::invalid,
        fmt::format(
            "there is no rule '{}'{}",
            slug_,
            meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant))};
  }

  std::string slug_;
};

}  // namespace

std::unique_ptr<Verb> make_explain() {
  return std::make_unique<ExplainVerb>();
}

}  // namespace fabric::cli
