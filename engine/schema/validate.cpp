// SPDX-License-Identifier: Apache-2.0
#include "engine/schema/validate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/base/printable.hpp"
#include "engine/base/secrets/secret_names.hpp"
#include "engine/base/text.hpp"
#include "engine/schema/mapping_keys.hpp"
#include "engine/schema/rule_set.hpp"
#include "engine/yaml/scalar.hpp"

namespace fabric::schema {

namespace {

using yaml::Entry;
using yaml::Node;

// The most findings of one branch of several that a value may fit; with more it was not meant.
constexpr std::size_t kBranchFindings = 1000;

Types type_of(const Node& node, const yaml::ScalarValue& value) {
  if (node.is_mapping()) return kObject;
  if (node.is_sequence()) return kArray;
  if (const double* number = std::get_if<double>(&value)) {
    // JSON Schema counts 1.0, and so an integer beyond 64 bits, among the integers.
    return std::isfinite(*number) && std::trunc(*number) == *number ? kInteger : kFraction;
  }
  constexpr std::array<Types, 5> kByIndex{kNull, kBoolean, kInteger, kFraction, kString};
  return kByIndex.at(value.index());
}

std::string_view description_of(const Rule& rule) {
  const bool inherited = rule.description.empty() && rule.base != nullptr;
  return inherited ? rule.base->description : rule.description;
}

double as_double(const yaml::ScalarValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  const double* number = std::get_if<double>(&value);
  return number == nullptr ? 0 : *number;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

// True for a secret: its value is for no terminal and no log of CI, so never part of a finding.
bool is_secret(const Path& path) {
  for (const Path* at = &path; at != nullptr; at = at->parent) {
    if (!at->is_item && names_secret(at->key)) return true;
  }
  return false;
}

std::string found_in(const Node& node, const Path& path) {
  const bool is_told = !node.is_scalar() || !is_secret(path);
  return is_told ? describe_found(node) : "a value that is not shown here";
}

// The distance of a branch from the author's intent: a key of another branch weighs more than a
// typo in a key, and that more than a wrong value.
std::size_t distance(const Diagnostics& problems) {
  std::size_t sum = 0;
  for (const Diagnostic& problem : problems.items()) {
    if (problem.rule == "missing-key")
      sum += 3;
    else if (problem.rule == "unknown-key")
      sum += problem.key.empty() ? 3U : 2U;
    else
      sum += 1;
  }
  return sum;
}

// The accepted form: quotes make a text, which a number or a switch may not be.
std::string help_for_ambiguity(std::string_view text, yaml::OldReading old, Types accepted) {
  if (accepted == 0 || (accepted & kString) != 0) return fmt::format("quote it: \"{}\"", text);
  if ((accepted & kBoolean) != 0 && old == yaml::OldReading::yes) return "write it as true";
  if ((accepted & kBoolean) != 0 && old == yaml::OldReading::no) return "write it as false";
  return "write it as a whole decimal number";
}

// Recursion follows the document, whose depth is bounded by limits::kNestingDepth, and references
// of the schema, which can't be circular.
// NOLINTBEGIN(misc-no-recursion)
class Validator {
 public:
  explicit Validator(Diagnostics& diagnostics) : diagnostics_{diagnostics} {}

  void check(const Node& node, const Rule& rule, const Path& path);

 private:
  void check_rule(const Node& node, const Rule& rule, const Path& path);
  void check_scalar(
      const Node& node, const yaml::ScalarValue& value, const Rule& rule, const Path& path);
  void check_items(const Node& node, const Rule& rule, const Path& path);
  void check_mapping(const Node& node, const Rule& rule, const Path& path);
  void check_entry(UnusedKeys& unused, const Entry& entry, const Path& path);
  void check_any(const Node& node, const std::vector<const Rule*>& branches, const Path& path);
  void check_one(const Node& node, const std::vector<const Rule*>& branches, const Path& path);
  void report_nearest(
      const Node& node,
      const std::vector<const Rule*>& branches,
      const std::vector<Diagnostics>& problems,
      const Path& path);
  void report_type(const Node& node, const Rule& rule, Types accepted, const Path& path);
  Diagnostic& out_of_range(
      const Node& node, const Rule& rule, const Path& path, const std::string& expected);
  void check_choice(
      const Node& node, const yaml::ScalarValue& value, const Rule& rule, const Path& path);
  bool refuse_ambiguity(std::string_view text, SourceRange range, Types accepted);
  void scan_ambiguities(const Node& node);

  Diagnostics& diagnostics_;
};

// `accepted`: if a number is allowed, 0.5 is one.
bool Validator::refuse_ambiguity(std::string_view text, SourceRange range, Types accepted) {
  const std::optional<yaml::Ambiguity> found = yaml::ambiguity(text);
  if (!found) return false;
  if (found->old == yaml::OldReading::fraction && (accepted & kFraction) != 0) return false;
  diagnostics_.error("ambiguous-scalar", range, fmt::format("'{}' is {}", text, found->why))
      .with_help(help_for_ambiguity(text, found->old, accepted));
  return true;
}

// Below a key that no rule knows there are at least these to find.
void Validator::scan_ambiguities(const Node& node) {
  if (node.is_scalar() && !node.quoted) refuse_ambiguity(node.text, node.range, kAnyType);
  for (const Node& item : node.items)
    scan_ambiguities(item);
  for (const Entry& entry : node.entries) {
    if (!entry.key_quoted) refuse_ambiguity(entry.key, entry.key_range, 0);
    if (!names_secret(entry.key)) scan_ambiguities(entry.value);
  }
}

void Validator::check(const Node& node, const Rule& rule, const Path& path) {
  const bool plain = node.is_scalar() && !node.quoted;
  // The value of an ambiguous scalar is unknown, so it can't be judged.
  if (plain && !is_secret(path) && refuse_ambiguity(node.text, node.range, accepted_types(rule)))
    return;
  check_rule(node, rule, path);
}

void Validator::check_rule(const Node& node, const Rule& rule, const Path& path) {
  if (rule.base != nullptr) check_rule(node, *rule.base, path);
  const yaml::ScalarValue value =
      node.is_scalar() ? yaml::interpret(node) : yaml::ScalarValue{std::monostate{}};
  if ((rule.types & type_of(node, value)) == 0) {
    return report_type(node, rule, rule.types, path);
  }
  if (node.is_mapping()) {
    check_mapping(node, rule, path);
  } else if (node.is_sequence()) {
    check_items(node, rule, path);
  } else {
    check_scalar(node, value, rule, path);
  }
  if (!rule.any_of.empty()) check_any(node, rule.any_of, path);
  if (!rule.one_of.empty()) check_one(node, rule.one_of, path);
}

// For a scalar in place of a mapping: the only key that would take it, with it; "" if none.
std::string help_for_mapping(
    const Node& node, const yaml::ScalarValue& value, const Rule& rule, const Path& path) {
  const auto fits = [&](const std::pair<const std::string, const Rule*>& property) {
    return (accepted_types(*property.second) & type_of(node, value)) != 0;
  };
  const auto found = std::ranges::find_if(rule.properties, fits);
  if (found == rule.properties.end() || path.is_item ||
      std::any_of(std::next(found), rule.properties.end(), fits))
    return "";
  return fmt::format("write {}: {{{}: {}}}", path.key, found->first, node.text);
}

void Validator::report_type(const Node& node, const Rule& rule, Types accepted, const Path& path) {
  const std::string expected =
      rule.choices.empty() ? describe_types(accepted) : describe_choices(rule.choice_words);
  // The value may stand on a line of its own, which would be shown.
  const bool secret = node.is_scalar() && is_secret(path);
  std::string help = secret ? std::string{} : help_for_type(node, accepted);
  if (help.empty() && !secret && accepted == kObject && node.is_scalar())
    help = help_for_mapping(node, yaml::interpret(node), rule, path);
  if (help.empty()) help = help_from(rule, path);
  diagnostics_
      .error(
          "wrong-type",
          secret && is_known(path.key_range) ? path.key_range : node.range,
          fmt::format("{}: expected {}, found {}", to_text(path), expected, found_in(node, path)))
      .with_help(std::move(help));
}

Diagnostic& Validator::out_of_range(
    const Node& node, const Rule& rule, const Path& path, const std::string& expected) {
  return diagnostics_
      .error(
          "out-of-range",
          node.range,
          fmt::format("{}: expected {}, found {}", to_text(path), expected, found_in(node, path)))
      .with_help(help_from(rule, path));
}

void Validator::check_choice(
    const Node& node, const yaml::ScalarValue& value, const Rule& rule, const Path& path) {
  const std::vector<yaml::ScalarValue>& choices = rule.choices;
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  Diagnostic& finding = out_of_range(node, rule, path, describe_choices(rule.choice_words));
  if (const auto synonym = rule.synonyms.find(to_lower(node.text));
      synonym != rule.synonyms.end()) {
    finding.with_help(fmt::format("{}{}?", kDidYouMean, synonym->second));
    return;
  }
  const std::string meant = choices.size() > 1 ? nearest(node.text, rule.choice_words) : "";
  if (!meant.empty()) finding.with_help(did_you_mean(meant));
}

void Validator::check_scalar(
    const Node& node, const yaml::ScalarValue& value, const Rule& rule, const Path& path) {
  if (!rule.choices.empty()) return check_choice(node, value, rule, path);
  const Types type = type_of(node, value);
  if (type == kString) {
    const bool fits = !rule.pattern || rule.pattern->matches(node.text);
    const bool says_text = rule.types != kAnyType;  // else what it refers to does
    if (says_text && rule.one_line && !is_one_line(node.text)) {
      out_of_range(node, rule, path, "a text of one line without control characters");
    } else if (!fits) {
      out_of_range(node, rule, path, "a text of another form");
    } else if (count_characters(node.text) < rule.least_characters) {
      out_of_range(node, rule, path, "a text that is not empty");
    }
  } else if ((type & (kInteger | kFraction)) != 0 && !rule.range.contains(as_double(value))) {
    out_of_range(node, rule, path, describe_range(rule.range));
  }
}

void Validator::check_items(const Node& node, const Rule& rule, const Path& path) {
  if (!rule.item_count.contains(node.items.size())) {
    diagnostics_
        .error(
            "out-of-range",
            node.range,
            fmt::format(
                "{}: expected {}, found {}",
                to_text(path),
                describe_count(rule.item_count, "item"),
                node.items.size()))
        .with_help(help_from(rule, path));
  }
  if (rule.items == nullptr) return;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    Path below;
    below.parent = &path;
    below.is_item = true;
    below.index = i;
    below.description = description_of(*rule.items);
    check(node.items[i], *rule.items, below);
  }
}

void Validator::check_mapping(const Node& node, const Rule& rule, const Path& path) {
  UnusedKeys unused{node, rule};
  for (const Entry& entry : node.entries)
    check_entry(unused, entry, path);
  check_required_keys(unused, path, diagnostics_);
  check_key_count(node, rule, path, diagnostics_);
}

void Validator::check_entry(UnusedKeys& unused, const Entry& entry, const Path& path) {
  const Rule& rule = unused.rule();
  if (!entry.key_quoted) refuse_ambiguity(entry.key, entry.key_range, 0);
  if (rule.key_pattern && !rule.key_pattern->matches(entry.key)) {
    diagnostics_
        .error(
            "out-of-range",
            entry.key_range,
            fmt::format("'{}' cannot be a key of {}", entry.key, to_text(path)))
        .with_help(help_from(rule, path));
  }
  Path below;
  below.parent = &path;
  below.key = entry.key;
  below.key_range = entry.key_range;
  bool known = false;
  const auto check_with = [&](const Rule& own) {
    known = true;
    below.description = description_of(own);
    check(entry.value, own, below);
  };
  const auto property = rule.properties.find(entry.key);
  if (property != rule.properties.end()) check_with(*property->second);
  for (const auto& [pattern, own] : rule.pattern_properties) {
    if (pattern.matches(entry.key)) check_with(*own);
  }
  if (known) return;
  if (rule.closed) report_unknown_key(unused, entry, path, diagnostics_);
  if (rule.additional == nullptr) {
    if (!names_secret(entry.key)) scan_ambiguities(entry.value);
  } else if (path.parent != nullptr && path.parent->parent == nullptr) {
    const About about{diagnostics_, std::string{entry.key}};  // a node, a network, a profile
    check_with(*rule.additional);
  } else {
    check_with(*rule.additional);
  }
}

void Validator::check_any(
    const Node& node, const std::vector<const Rule*>& branches, const Path& path) {
  std::vector<Diagnostics> problems;
  for (const Rule* branch : branches) {
    problems.emplace_back().keep_at_most(kBranchFindings);
    Validator{problems.back()}.check_rule(node, *branch, path);
    if (problems.back().empty()) return;
  }
  report_nearest(node, branches, problems, path);
}

void Validator::check_one(
    const Node& node, const std::vector<const Rule*>& branches, const Path& path) {
  std::vector<Diagnostics> problems;
  for (const Rule* branch : branches) {
    problems.emplace_back().keep_at_most(kBranchFindings);
    Validator{problems.back()}.check_rule(node, *branch, path);
  }
  const auto fitting =
      std::ranges::count_if(problems, [](const Diagnostics& found) { return found.empty(); });
  if (fitting == 0) report_nearest(node, branches, problems, path);
  if (fitting < 2) return;
  diagnostics_.error(
      "out-of-range",
      node.range,
      fmt::format("{}: fits {} forms where exactly one is allowed", to_text(path), fitting));
}

// "Fits none of them" helps no author: the branch that the author most likely meant speaks alone.
void Validator::report_nearest(
    const Node& node,
    const std::vector<const Rule*>& branches,
    const std::vector<Diagnostics>& problems,
    const Path& path) {
  const yaml::ScalarValue value =
      node.is_scalar() ? yaml::interpret(node) : yaml::ScalarValue{std::monostate{}};
  const Types type = type_of(node, value);
  const Diagnostics* nearest_branch = nullptr;
  Types together = 0;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const Types accepted = accepted_types(*branches[i]);
    together |= accepted;
    if ((accepted & type) == 0) continue;
    const bool nearer =
        nearest_branch == nullptr || distance(problems[i]) < distance(*nearest_branch);
    if (nearer) nearest_branch = &problems[i];
  }
  if (nearest_branch != nullptr) return diagnostics_.append(*nearest_branch);
  report_type(node, Rule{}, together, path);
}
// NOLINTEND(misc-no-recursion)

}  // namespace

void validate(const Node& document, const Schema& schema, Diagnostics& diagnostics) {
  Validator{diagnostics}.check(document, *schema.rules().root, Path{});
}

}  // namespace fabric::schema
