// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/statements.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/model/statement_pattern.hpp"
#include "engine/provider/diagnose.hpp"

namespace fabric {

namespace {

constexpr RuleInfo kStatementRules[] = {
    {kAdoptWouldLose,
     Severity::error,
     RuleStage::plan,
     "The configuration that fabric would take over has statements that the document does not "
     "have: the adoption would remove them, at once or with the next boot. The plan is shown, and "
     "can't be applied.",
     "E-linux-two-configurations: how-to 'Using 40G Mellanox Infiniband single- or dual-port "
     "NICs'",
     "Write a statement into the document where the document has a key for it; let the others go "
     "by name, `adopt: {drop: [\"interfaces post-up\"]}`, or all of them, `adopt: {drop: all}`."},
};

std::string words_of(const Statement& statement) {
  return statement.value.empty() ? statement.key
                                 : fmt::format("{} {}", statement.key, statement.value);
}

std::string note_of(const Statement& statement) {
  if (statement.said == StatementClass::sayable) {
    return fmt::format(
        "{}: to keep it, write into the document: `{}`",
        statement_text(statement),
        statement.instead);
  }
  return fmt::format(
      "{}: the document has no key for it; to drop it: `{}`",
      statement_text(statement),
      drop_pattern(statement));
}

}  // namespace

std::string statement_text(const Statement& statement) {
  const std::string words = words_of(statement);
  if (statement.file.empty()) return fmt::format("{} `{}`", statement.kind, words);
  return fmt::format("{}:{} `{}`", statement.file, statement.line, words);
}

std::string drop_pattern(const Statement& statement) {
  std::string key = statement.key;
  std::replace(key.begin(), key.end(), ' ', '*');  // a name of a partition; a blank ends the key
  return fmt::format("{} {}", statement.kind, key);
}

bool adopts(const Resource& resource) {
  return resource.binding.contains(keys::kAdopt);
}

bool may_be_dropped(const Statement& statement, const std::vector<std::string>& patterns) {
  if (statement.said < StatementClass::sayable) return false;
  return std::any_of(patterns.begin(), patterns.end(), [&statement](const std::string& text) {
    const Result<StatementPattern> pattern = StatementPattern::parse(text);
    return pattern && pattern->fits(statement.kind, statement.key, statement.value);
  });
}

std::vector<Statement> would_be_lost(
    const Resource& resource, const std::vector<Statement>& statements) {
  std::vector<std::string> patterns;
  for (const Value& each : resource.bound_list(keys::kAdopt))
    patterns.push_back(to_text(each));
  std::vector<Statement> lost;
  std::ranges::copy_if(statements, std::back_inserter(lost), [&](const Statement& each) {
    return each.said >= StatementClass::sayable && !may_be_dropped(each, patterns);
  });
  return lost;
}

std::string statements_summary(const std::vector<Statement>& statements, bool with_places) {
  std::vector<std::string> stay, change, go;
  for (const Statement& each : statements) {
    std::string text = with_places ? statement_text(each) : words_of(each);
    if (each.said == StatementClass::said) {
      stay.push_back(std::move(text));
    } else if (each.said == StatementClass::said_otherwise) {
      change.push_back(fmt::format("{} -> {}", text, each.instead));
    } else {
      go.push_back(std::move(text));
    }
  }
  std::string summary;
  for (const auto& [word, parts] :
       {std::pair{"stays", &stay}, std::pair{"changes", &change}, std::pair{"goes", &go}}) {
    if (!parts->empty()) summary += fmt::format(", {}: {}", word, join(*parts, ", "));
  }
  return summary;
}

RuleRows statement_rules() {
  return kStatementRules;
}

void report_would_lose(
    Diagnostics& diagnostics,
    const Resource& resource,
    std::string_view what,
    const std::vector<Statement>& lost) {
  if (lost.empty()) return;
  Diagnostic& finding = report_finding(
      diagnostics,
      resource,
      kAdoptWouldLose,
      fmt::format(
          "{}: taking over {} would lose {} that the document does not have",
          resource.address.node.str(),
          what,
          lost.size() == 1 ? "1 statement" : fmt::format("{} statements", lost.size())));
  std::vector<std::string> patterns;
  for (const Statement& each : lost) {
    finding.with_note({}, note_of(each));
    std::string pattern = fmt::format("\"{}\"", drop_pattern(each));
    if (std::ranges::find(patterns, pattern) == patterns.end())
      patterns.push_back(std::move(pattern));
  }
  finding.with_help(fmt::format(
      "write the statements to keep into the document, and drop the rest: `adopt: {{drop: [{}]}}`",
      join(patterns, ", ")));
}

}  // namespace fabric
