// SPDX-License-Identifier: Apache-2.0
#include "engine/schema/mapping_keys.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/schema/wording.hpp"

namespace fabric::schema {

namespace {

using yaml::Entry;
using yaml::Node;

bool is_known_key(const Rule& rule, std::string_view key) {
  if (rule.properties.find(key) != rule.properties.end()) return true;
  return std::any_of(
      rule.pattern_properties.begin(), rule.pattern_properties.end(), [&](const auto& property) {
        return property.first.matches(key);
      });
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
  const auto found =
      std::find_if(mapping.entries.begin(), mapping.entries.end(), [&entry](const Entry& each) {
        return &each == &entry;
      });
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
