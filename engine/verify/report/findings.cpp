// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/report/findings.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::verify {

namespace {

// "1 path was lost", "12 paths were lost"
std::string effect_text(Effect effect, std::size_t number) {
  const bool one = number == 1;
  switch (effect) {
    case Effect::cable_unknown:
      return fmt::format("{} {} could not be judged", number, one ? "cable" : "cables");
    case Effect::cable_dark:
      return fmt::format("{} {} no link", number, one ? "cable has" : "cables have");
    case Effect::path_untried:
      return fmt::format("{} {} could not be pinged", number, one ? "path" : "paths");
    case Effect::path_lost:
      return fmt::format("{} {} lost", number, one ? "path was" : "paths were");
    case Effect::flow_failed:
      return fmt::format("{} {} failed", number, one ? "flow" : "flows");
    case Effect::flow_untried:
      return fmt::format("{} {} could not be measured", number, one ? "flow" : "flows");
    case Effect::failover_untried:
      return fmt::format(
          "the fail-over of {} {} could not be tried", number, one ? "bond" : "bonds");
    case Effect::finding:
    case Effect::member:
      break;
  }
  return {};
}

std::string listed(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return join(parts, "");
  const std::vector<std::string> most{parts.begin(), parts.end() - 1};
  return join(most, ", ") + " and " + parts.back();
}

}  // namespace

Findings::Number Findings::add(Diagnostic finding) {
  findings_.push_back(std::move(finding));
  return findings_.size() - 1;
}

Findings::Number Findings::add(
    Diagnostic finding, std::optional<Number> cause, Effect effect, std::size_t number) {
  const std::string rule = finding.rule;
  const Number added = add(std::move(finding));
  if (!cause) return added;
  cause_of_.emplace(added, *cause);
  if (effect == Effect::member) members_.insert(added);
  if (effect == Effect::finding) {
    ++spoilt_[*cause].findings[rule];
  } else {
    count(*cause, effect, number);
  }
  return added;
}

void Findings::count(Number cause, Effect effect, std::size_t number) {
  spoilt_[cause].counts[effect] += number;
}

Findings::Number Findings::first_cause(Number number) const {
  // A cause is added before its consequences, so this ends.
  for (auto found = cause_of_.find(number); found != cause_of_.end();
       found = cause_of_.find(number))
    number = found->second;
  return number;
}

void Findings::Spoilt::add(const Spoilt& other) {
  for (const auto& [effect, number] : other.counts)
    counts[effect] += number;
  for (const auto& [rule, number] : other.findings)
    findings[rule] += number;
}

std::string Findings::Spoilt::text() const {
  std::vector<std::string> parts;
  for (const auto& [effect, number] : counts) {
    if (std::string part = effect_text(effect, number); !part.empty())
      parts.push_back(std::move(part));
  }
  std::size_t more = 0;
  std::vector<std::string> rules;
  for (const auto& [rule, number] : findings) {
    more += number;
    rules.push_back(rule);
  }
  if (more != 0) {
    parts.push_back(fmt::format(
        "{} further {} ({})", more, more == 1 ? "finding" : "findings", join(rules, ", ")));
  }
  return listed(parts);
}

Findings::Linked Findings::link() && {
  std::map<Number, Spoilt> by_first_cause;
  for (const auto& [cause, spoilt] : spoilt_)
    by_first_cause[first_cause(cause)].add(spoilt);
  Linked linked;
  for (const auto& [consequence, cause] : cause_of_) {
    const Number first = first_cause(cause);
    linked.cause_of.emplace(consequence, first);
    findings_[consequence].with_note(
        findings_[first].range,
        fmt::format(
            "{} {}: {}",
            members_.contains(consequence) ? "belongs to" : "because of",
            findings_[first].rule,
            findings_[first].message));
  }
  for (const auto& [cause, spoilt] : by_first_cause) {
    if (const std::string text = spoilt.text(); !text.empty())
      findings_[cause].with_note({}, "because of that: " + text);
  }
  linked.findings = std::move(findings_);
  linked.nodes_of = std::move(nodes_of_);
  return linked;
}

SourceRange place_of_node(const FabricSpec& spec, const NodeName& node) {
  const NodeSpec* found = spec.find_node(node.str());
  return found == nullptr ? SourceRange{} : found->range;
}

SourceRange place_of_network(const FabricSpec& spec, const std::string& network) {
  const auto found = spec.networks.find(network);
  return found == spec.networks.end() ? SourceRange{} : found->second.range;
}

}  // namespace fabric::verify
