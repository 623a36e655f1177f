// SPDX-License-Identifier: Apache-2.0
#include "engine/model/findings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"

namespace fabric {

namespace {

// So that a document of a million wrong ends is refused in a moment too.
constexpr std::size_t kKeptPerPlace = 10'000;
constexpr std::size_t kMostSuggestions = 200;

}  // namespace

Diagnostic& Findings::put(Diagnostic finding) {
  if (finding.subject.name.empty()) finding.subject = subject_;
  Group& group = groups_[{finding.range, finding.rule}];
  const bool repeated = group.messages.contains(finding.message);
  if (repeated || group.messages.size() == kKeptPerPlace) {
    if (!repeated) ++group.more;
    return discarded_ = std::move(finding);
  }
  group.messages.insert(finding.message);
  group.last = items_.size();
  items_.push_back(std::move(finding));
  return items_.back();
}

Diagnostic& Findings::error(std::string_view rule, SourceRange range, std::string message) {
  return put({Severity::error, std::string{rule}, range, std::move(message), {}, {}});
}

Diagnostic& Findings::warning(std::string_view rule, SourceRange range, std::string message) {
  return put({Severity::warning, std::string{rule}, range, std::move(message), {}, {}});
}

SourceRange Findings::cause_of(const std::string& node) const {
  const auto found = causes_.find(node);
  return found == causes_.end() ? SourceRange{} : found->second;
}

std::string Findings::did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  if (word == last_word_ && candidates.size() == last_candidates_) return last_meant_;
  last_word_ = word;
  last_candidates_ = candidates.size();
  last_meant_.clear();
  // A set that is misspelt once is misspelt at each of its members.
  const std::size_t digits = std::min(word.find_first_of("0123456789"), word.size());
  const std::string stem{word.substr(0, digits)};
  const auto known = meant_.find(stem);
  std::string meant = known == meant_.end() ? "" : known->second + std::string{word.substr(digits)};
  if (std::find(candidates.begin(), candidates.end(), meant) == candidates.end()) {
    if (++suggestions_ > kMostSuggestions) return "";
    meant = nearest(word, candidates);
    if (meant.ends_with(word.substr(digits)))
      meant_.emplace(stem, meant.substr(0, meant.size() - (word.size() - digits)));
  }
  if (!meant.empty()) last_meant_ = fmt::format("did you mean '{}'?", meant);
  return last_meant_;
}

bool Findings::may_expand(std::size_t values, SourceRange place) {
  if (values <= limits::kExpandedValues - expanded_) {
    expanded_ += values;
    return true;
  }
  error(
      "out-of-range",
      place,
      fmt::format("the document comes to more than {} values here", limits::kExpandedValues));
  return false;
}

Diagnostics Findings::take() {
  for (const auto& [place, group] : groups_) {
    if (group.more == 0) continue;
    items_[group.last].message += fmt::format(" (and {} more like it here)", group.more);
  }
  Diagnostics all;
  for (Diagnostic& item : items_)
    all.add(std::move(item));
  items_.clear();
  groups_.clear();
  return all;
}

}  // namespace fabric
