// SPDX-License-Identifier: Apache-2.0
#include "engine/schema/mapping_keys.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "engine/base/overloaded.hpp"
#include "engine/base/text.hpp"
#include "engine/yaml/scalar.hpp"

namespace fabric::schema {

namespace {

constexpr std::size_t kShownCharacters = 60;

// Long values are cut between characters, so that a message stays a line.
std::string shortened(std::string_view text) {
  if (text.size() <= kShownCharacters) return std::string{text};
  std::size_t end = kShownCharacters;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
    --end;
  return std::string{text.substr(0, end)} + "...";
}

std::string join_with_or(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " or " : ", ";
    text += parts[i];
  }
  return text;
}

bool is_plain(const yaml::Node& node) {
  return node.is_scalar() && !node.quoted;
}

// `[11-14]` without quotes is a list of one text to YAML.
bool looks_like_node_set(const yaml::Node& node) {
  if (!node.is_sequence() || node.items.empty()) return false;
  return std::ranges::all_of(node.items, [](const yaml::Node& item) {
    return is_plain(item) && !item.text.empty() &&
           item.text.find_first_not_of("0123456789-") == std::string::npos;
  });
}

std::string written_as_set(const yaml::Node& node) {
  std::vector<std::string> parts;
  parts.reserve(node.items.size());
  for (const yaml::Node& item : node.items)
    parts.push_back(item.text);
  return "[" + join(parts, ",") + "]";
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as the document, at most limits::kNestingDepth
std::string to_text(const Path& path) {
  if (path.parent == nullptr) return "the document";
  std::string text = path.parent->parent == nullptr ? "" : to_text(*path.parent);
  if (path.is_item) return fmt::format("{}[{}]", text, path.index);
  if (!text.empty()) text += '.';
  return text + std::string{path.key};
}

std::string describe_types(Types types) {
  constexpr std::array<std::pair<Types, std::string_view>, 6> kNames{{
      {kString, "a text"},
      {kInteger, "a whole number"},
      {kBoolean, "true or false"},
      {kObject, "a mapping"},
      {kArray, "a list"},
      {kNull, "nothing"},
  }};
  std::vector<std::string> parts;
  for (const auto& [type, name] : kNames) {
    if ((types & type) == 0) continue;
    const bool fractions = type == kInteger && (types & kFraction) != 0;
    parts.emplace_back(fractions ? "a number" : name);
  }
  return join_with_or(parts);
}

std::string describe_found(const yaml::Node& node) {
  if (node.is_mapping()) return "a mapping";
  if (node.is_sequence()) return "a list";
  return std::visit(
      Overloaded{
          [](std::monostate) { return std::string{"nothing"}; },
          [](bool flag) { return std::string{flag ? "true" : "false"}; },
          [&](std::int64_t) { return "the whole number " + shortened(node.text); },
          [&](double) { return "the number " + shortened(node.text); },
          [](const std::string& text) {
            return "the text '" + shortened(text) + "'";
          }},
      yaml::interpret(node));
}

std::string describe_choices(const std::vector<std::string>& words) {
  if (words.size() == 1) return "'" + words.front() + "'";
  return "one of " + join(words, ", ");
}

std::string describe_range(const Bounds<double>& range) {
  using Limits = std::numeric_limits<double>;
  if (range.most == Limits::max()) return fmt::format("at least {}", range.least);
  if (range.least == Limits::lowest()) return fmt::format("at most {}", range.most);
  return fmt::format("a number from {} to {}", range.least, range.most);
}

std::string describe_count(const Bounds<std::size_t>& count, std::string_view noun) {
  const auto counted = [&](std::size_t number) {
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
  };
  if (count.least == count.most) return "exactly " + counted(count.least);
  if (count.most == std::numeric_limits<std::size_t>::max()) {
    return "at least " + counted(count.least);
  }
  if (count.least == 0) return "at most " + counted(count.most);
  return fmt::format("{} to {}", count.least, counted(count.most));
}

std::string help_for_type(const yaml::Node& node, Types accepted) {
  const bool text_wanted = (accepted & kString) != 0;
  if (text_wanted && is_plain(node)) return fmt::format("quote it: \"{}\"", shortened(node.text));
  if (text_wanted && looks_like_node_set(node)) {
    return fmt::format("a node set in brackets must be quoted: \"{}\"", written_as_set(node));
  }
  if ((accepted & (kInteger | kBoolean)) != 0 && node.is_scalar() && node.quoted) {
    yaml::Node bare;
    bare.kind = node.kind;
    bare.text = node.text;
    const bool text = std::holds_alternative<std::string>(yaml::interpret(bare));
    if (!text) return fmt::format("write it without quotes: {}", shortened(node.text));
  }
  if ((accepted & kArray) != 0 && node.is_scalar()) {
    // A cable that is written as it is drawn has its ends in a list.
    const std::size_t dash = node.text.find(" - ");
    if (dash == std::string::npos) return fmt::format("write a list: [{}]", shortened(node.text));
    return fmt::format(
        "write a list: [{}, {}]",
        shortened(node.text.substr(0, dash)),
        shortened(node.text.substr(dash + 3)));
  }
  return "";
}

std::string help_from(const Rule& rule, const Path& path) {
  std::string help = rule.description.empty() ? std::string{path.description} : rule.description;
  if (!rule.example.empty()) help += fmt::format(" Example: {}", rule.example);
  // Descriptions are sentences, help lines are not.
  if (!help.empty() && help.back() == '.') help.pop_back();
  return help;
}

namespace {

using yaml::Entry;
using yaml::Node;

bool is_known_key(const Rule& rule, std::string_view key) {
  if (rule.properties.find(key) != rule.properties.end()) return true;
  return std::ranges::any_of(
      rule.pattern_properties, [&](const auto& property) { return property.first.matches(key); });
}

// The known key that `word` was probably meant to be: first among those not written yet.
std::string meant_key(UnusedKeys& unused, std::string_view word) {
  const std::string meant = nearest(word, unused.names());
  return meant.empty() ? nearest(word, unused.rule().property_names) : meant;
}

bool is_misspelt(UnusedKeys& unused, const std::string& key) {
  const Rule& rule = unused.rule();
  if (!rule.closed) return false;
  // No mapping has so many keys and misspells one that must be there.
  constexpr std::size_t kLookedAt = 1000;
  const std::vector<Entry>& entries = unused.mapping().entries;
  const auto end =
      entries.begin() + static_cast<std::ptrdiff_t>(std::min(entries.size(), kLookedAt));
  return std::any_of(entries.begin(), end, [&](const Entry& entry) {
    return !is_known_key(rule, entry.key) && meant_key(unused, entry.key) == key;
  });
}

// "networks": the key right before this one, where nothing stands below it; "" = something does.
std::string_view empty_key_before(const Node& mapping, const Entry& entry) {
  const auto found = std::ranges::find_if(
      mapping.entries, [&entry](const Entry& each) { return &each == &entry; });
  if (found == mapping.entries.begin() || found == mapping.entries.end()) return {};
  const Entry& before = *std::prev(found);
  return before.value.kind == yaml::Kind::null ? std::string_view{before.key} : std::string_view{};
}

// The key of the mapping where it has one, for a mapping is too large to be pointed at.
SourceRange place_of(const Node& mapping, const Path& path) {
  if (is_known(path.key_range)) return path.key_range;
  SourceRange place = mapping.range;
  if (path.parent == nullptr) place.end = place.begin;
  return place;
}

}  // namespace

std::string did_you_mean(std::string_view word) {
  return fmt::format("{}'{}'?", kDidYouMean, word);
}

const std::vector<std::string>& UnusedKeys::names() {
  if (names_) return *names_;
  names_.emplace();
  for (const std::string& name : rule_.property_names) {
    if (mapping_.find(name) == nullptr) names_->push_back(name);
  }
  return *names_;
}

void report_unknown_key(
    UnusedKeys& unused, const Entry& entry, const Path& path, Diagnostics& diagnostics) {
  // One that would only be counted: not worth to look for what was meant.
  if (diagnostics.dropped() > 0) {
    diagnostics.error("unknown-key", entry.key_range, {});
    return;
  }
  const std::string meant = meant_key(unused, entry.key);
  std::string help = did_you_mean(meant);
  if (meant.empty()) {
    const std::string_view above = empty_key_before(unused.mapping(), entry);
    const std::vector<std::string>& known = unused.rule().property_names;
    if (!above.empty()) {
      help = fmt::format("indent it, if it belongs to '{}'", above);
    } else {
      help = known.empty() ? std::string{unused.rule().description}
                           : "known keys: " + join(known, ", ");
    }
  }
  diagnostics
      .error(
          "unknown-key",
          entry.key_range,
          fmt::format("unknown key '{}' in {}", entry.key, to_text(path)))
      .with_help(std::move(help))
      .with_key(meant);
}

void check_required_keys(UnusedKeys& unused, const Path& path, Diagnostics& diagnostics) {
  const Node& mapping = unused.mapping();
  const Rule& rule = unused.rule();
  for (const std::string& key : rule.required) {
    if (mapping.find(key) != nullptr || is_misspelt(unused, key)) continue;
    Diagnostic& finding = diagnostics.error(
        "missing-key",
        place_of(mapping, path),
        fmt::format("missing key '{}' in {}", key, to_text(path)));
    finding.with_key(key);
    const auto property = rule.properties.find(key);
    if (property == rule.properties.end()) continue;
    const std::vector<std::string>& choices = property->second->choice_words;
    finding.with_help(
        choices.size() == 1 ? fmt::format("write {}: {}", key, choices.front())
                            : help_from(*property->second, path));
  }
}

void check_key_count(
    const Node& mapping, const Rule& rule, const Path& path, Diagnostics& diagnostics) {
  const std::size_t found = mapping.entries.size();
  if (rule.key_count.contains(found)) return;
  const std::string message = fmt::format(
      "{}: expected {}, found {}", to_text(path), describe_count(rule.key_count, "key"), found);
  if (found < rule.key_count.least) {
    diagnostics.error("missing-key", place_of(mapping, path), message)
        .with_help(help_from(rule, path));
    return;
  }
  const Entry& one_too_many = mapping.entries.at(rule.key_count.most);
  Diagnostic& finding = diagnostics.error("out-of-range", one_too_many.key_range, message);
  finding.with_help(help_from(rule, path));
  if (rule.key_count.most > 0) finding.with_note(mapping.entries.front().key_range, "besides this");
}

}  // namespace fabric::schema
