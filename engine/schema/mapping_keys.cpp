#include "engine/schema/mapping_keys.hpp"

#include <algorithm>
#include <vector>

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
std::string meant_key(const Node& mapping, std::string_view word, const Rule& rule) {
  std::vector<std::string> unused;
  for (const std::string& name : rule.property_names) {
    if (mapping.find(name) == nullptr) unused.push_back(name);
  }
  const std::string meant = nearest(word, unused);
  return meant.empty() ? nearest(word, rule.property_names) : meant;
}

bool is_misspelt(const Node& mapping, const std::string& key, const Rule& rule) {
  if (!rule.closed) return false;
  return std::any_of(mapping.entries.begin(), mapping.entries.end(), [&](const Entry& entry) {
    return !is_known_key(rule, entry.key) && meant_key(mapping, entry.key, rule) == key;
  });
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

void report_unknown_key(
    const Node& mapping,
    const Entry& entry,
    const Rule& rule,
    const Path& path,
    Diagnostics& diagnostics) {
  const std::string meant = meant_key(mapping, entry.key, rule);
  std::string help = did_you_mean(meant);
  if (meant.empty()) help = "known keys: " + join(rule.property_names, ", ");
  diagnostics
      .error(
          "unknown-key",
          entry.key_range,
          fmt::format("unknown key '{}' in {}", entry.key, to_text(path)))
      .with_help(std::move(help));
}

void check_required_keys(
    const Node& mapping, const Rule& rule, const Path& path, Diagnostics& diagnostics) {
  for (const std::string& key : rule.required) {
    if (mapping.find(key) != nullptr || is_misspelt(mapping, key, rule)) continue;
    Diagnostic& finding = diagnostics.error(
        "missing-key",
        place_of(mapping, path),
        fmt::format("missing key '{}' in {}", key, to_text(path)));
    const auto property = rule.properties.find(key);
    if (property != rule.properties.end()) {
      finding.with_help(help_from(*property->second, path));
    }
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
