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

std::string to_drop(const Statement& statement, std::string_view why) {
  return fmt::format(
      "{}: {}; to drop it: `{}`", statement_text(statement), why, drop_pattern(statement));
}

std::string note_of(const Statement& statement) {
  if (statement.said != StatementClass::sayable)
    return to_drop(statement, "the document has no key for it");
  return fmt::format(
      "{}: to keep it, write into the document: `{}`",
      statement_text(statement),
      statement.instead);
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

std::vector<std::string> shown_values(const Diagnostic& finding) {
  std::vector<std::string> shown;
  for (std::size_t at = 0; at < finding.fault.ports.size(); at += 2)
    if (!finding.fault.ports[at].empty()) shown.push_back(finding.fault.ports[at]);
  return shown;
}

void take_back(Diagnostic& finding, const std::set<std::string>& refused) {
  for (std::size_t at = 0; at < finding.related.size(); ++at)
    if (refused.contains(finding.fault.ports[2 * at]))
      finding.related[at].message = finding.fault.ports[2 * at + 1];
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
  // For each note its YAML, and what it says where that is taken back.
  Fault shown{.kind = kAdoptWouldLose};
  for (const Statement& each : lost) {
    finding.with_note({}, note_of(each));
    const bool sayable = each.said == StatementClass::sayable;
    shown.ports.push_back(sayable ? each.instead : "");
    shown.ports.push_back(sayable ? to_drop(each, "the document can't have this value") : "");
    std::string pattern = fmt::format("\"{}\"", drop_pattern(each));
    if (std::ranges::find(patterns, pattern) == patterns.end())
      patterns.push_back(std::move(pattern));
  }
  finding.with_fault(std::move(shown));
  finding.with_help(fmt::format(
      "write the statements to keep into the document, and drop the rest: `adopt: {{drop: [{}]}}`",
      join(patterns, ", ")));
}

}  // namespace fabric
